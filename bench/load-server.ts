import { createServer, type Socket } from 'node:net';
import { createWorkload, type WorkloadSize } from './workload.ts';

/**
 * A service with minimal cost: pages are created in advance, and only the first line of a request is read. It runs in
 * its own process and reports its CPU.
 */

export interface ServerOptions extends WorkloadSize {
  /** Delay of every response. */
  readonly latencyMs: number;
  /** Pages per warm-up list. */
  readonly warmPages: number;
}

export interface ServerReady {
  readonly port: number;
  readonly targets: readonly string[];
  readonly warm: readonly string[];
  readonly edges: number;
  readonly people: number;
  readonly bytesPerPage: number;
}

export interface ServerUsage {
  readonly pages: number;
  readonly cpuUs: number;
}

const END = '\r\n\r\n';
const USAGE_PATH = '/use';
const TOKEN_INFO_PATH = '/api/microblog/token-info';
const QUOTA = 1_000_000_000;
const WARM_LISTS = 32;
const WARM_UP_OFFSET = 100_000_000;

function answer(status: string, body: string): Buffer {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`${head}${END}${body}`);
}

const tokenInfo = (): Buffer =>
  answer(
    '200 OK',
    JSON.stringify({
      data: {
        ...{ token_type: 'app', app_limit: QUOTA, remaining: QUOTA, reset_at: '2099-01-01T00:00:00.000Z' },
        ...{ account: { app_id: '1', app_name: 'bench', organization: 'bench' }, request_history: [] },
      },
    }),
  );

function startServer(options: ServerOptions): void {
  const workload = createWorkload(options);
  const warmUpOptions = {
    ...options,
    targets: WARM_LISTS,
    pagesPerTarget: options.warmPages,
    seed: options.seed + 100,
  };
  const warm = createWorkload({ ...warmUpOptions, from: WARM_UP_OFFSET });
  const first = new Map<string, Buffer>();
  const byCursor = new Map<string, Buffer>();
  let bytes = 0;
  for (const { pages, targets, cursors } of [workload, warm]) {
    for (const [target, list] of pages.entries()) {
      for (const [page, text] of list.entries()) {
        const buffer = answer('200 OK', text);
        bytes += buffer.length;
        if (page === 0) first.set(targets[target]!, buffer);
        else byCursor.set(cursors[target]![page]!, buffer);
      }
    }
  }
  const token = tokenInfo();
  const notFound = answer('404 Not Found', '{"error":"no such page"}');
  let served = 0;

  function find(line: string): Buffer {
    const cursor = parameter(line, 'cursor=');
    const page = cursor === undefined ? first.get(parameter(line, 'restId=') ?? '') : byCursor.get(cursor);
    if (page) {
      served++;
      return page;
    }
    if (line.includes(TOKEN_INFO_PATH)) return token;
    return line.includes(USAGE_PATH) ? answer('200 OK', JSON.stringify(readUsage())) : notFound;
  }

  function readUsage(): ServerUsage {
    const { user, system } = process.cpuUsage();
    return { pages: served, cpuUs: user + system };
  }

  const server = createServer({ noDelay: true }, (socket) => serveConnection(socket, find, options.latencyMs));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the load server has no port');
    const { targets, edges, people } = workload;
    const bytesPerPage = Math.round(bytes / (first.size + byCursor.size));
    const ready: ServerReady = { port: address.port, targets, warm: warm.targets, edges, people, bytesPerPage };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  });
  // The server ends when its stdin is closed.
  process.stdin.resume().once('end', () => process.exit());
}

/** Answers the requests of a connection in order, also pipelined ones. */
function serveConnection(socket: Socket, find: (line: string) => Buffer, latencyMs: number): void {
  let rest = '';
  const send = (page: Buffer): void => void (socket.writable && socket.write(page));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (let end = rest.indexOf(END); end !== -1; end = rest.indexOf(END)) {
      const page = find(rest.slice(0, rest.indexOf('\r\n')));
      rest = rest.slice(end + END.length);
      // Timers of the same duration share one list: they are cheap and keep their order.
      if (latencyMs > 0) setTimeout(send, latencyMs, page);
      else send(page);
    }
  });
}

function parameter(line: string, name: string): string | undefined {
  const from = line.indexOf(name);
  if (from === -1) return undefined;
  const value = line.slice(from + name.length);
  const end = value.search(/[& ]/);
  return end === -1 ? value : value.slice(0, end);
}

startServer(JSON.parse(process.argv[2]!) as ServerOptions);
