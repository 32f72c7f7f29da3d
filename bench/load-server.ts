import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  NEXT_CURSOR,
  type ServedLists,
  type ServerOptions,
  type ServerReady,
  type ServerUsage,
  USAGE_PATH,
  VERSION_PATH,
} from './load-service.ts';
import { createOpenLists, createWorkload, type Workload } from './workload.ts';

/**
 * A service with minimal cost: pages are created and compressed in advance, and of a request only the first line and
 * Accept-Encoding are read. It runs in its own process and reports its CPU.
 */

const END = '\r\n\r\n';
const TOKEN_INFO_PATH = '/api/microblog/token-info';
const ACCEPTS_GZIP = /\r\naccept-encoding:[^\r]*\bgzip\b/i;
const QUOTA = 1_000_000_000;
const WARM_LISTS = 32;
const WARM_UP_OFFSET = 100_000_000;

/** The whole responses of a page. */
interface Answer {
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly delayMs: number;
}

function formatResponse(body: string | Buffer, status = '200 OK', headers: Record<string, string> = {}): Buffer {
  const fields = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return Buffer.concat([Buffer.from([`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n')), Buffer.from(body)]);
}

const asJson = (value: object): Buffer => formatResponse(JSON.stringify(value));

function createAnswer(page: string, nextCursor: string | undefined, delayMs: number, level = 6): Answer {
  const headers = nextCursor === undefined ? {} : { [NEXT_CURSOR]: nextCursor };
  return {
    plain: formatResponse(page, '200 OK', headers),
    gzip: formatResponse(gzipSync(page, { level }), '200 OK', { ...headers, 'content-encoding': 'gzip' }),
    delayMs,
  };
}

/** Returns the answers of all pages: the first page of a list by its target, the others by their cursor. */
function* createAnswers({ pages, targets, cursors }: Workload, delayMs: number): Generator<[key: string, Answer]> {
  for (const [target, list] of pages.entries()) {
    for (const [page, text] of list.entries()) {
      const key = page === 0 ? targets[target]! : cursors[target]![page]!;
      yield [key, createAnswer(text, cursors[target]![page + 1], delayMs)];
    }
  }
}

const TOKEN_INFO = {
  data: {
    token_type: 'app',
    app_limit: QUOTA,
    remaining: QUOTA,
    reset_at: '2099-01-01T00:00:00.000Z',
    account: {
      app_id: '1',
      app_name: 'bench',
      organization: 'bench',
    },
    request_history: [],
  },
};

/** Returns the answer to a target and a cursor; undefined if there is none. */
type FindPage = (target: string, cursor: string | undefined, version: number) => Answer | undefined;

function createLists(options: ServerOptions): ServedLists & { readonly warm: ServedLists; readonly find: FindPage } {
  const { latencyMs, warmPages, seed, changedShare } = options;
  const workload = createWorkload({ ...options, changedShare: 0 });
  const warm = createWorkload({
    ...options,
    targets: warmPages === 0 ? 0 : WARM_LISTS,
    pagesPerTarget: warmPages,
    seed: seed + 100,
    from: WARM_UP_OFFSET,
  });
  const first = new Map([...createAnswers(workload, latencyMs), ...createAnswers(warm, 0)]);
  const changed = changedShare === undefined ? [] : createAnswers(createWorkload(options), latencyMs);
  const versions = [first, new Map([...first, ...changed])];
  return {
    ...describe(workload),
    warm: describe(warm),
    find: (target, cursor, version) => versions[version]?.get(cursor ?? target),
  };
}

/** Every target has a list. Its pages are compressed less than others, since that takes CPU during the measurement. */
function createEndlessLists({ pagesPerTarget: pagesPerList, seed }: ServerOptions): ReturnType<typeof createLists> {
  const lists = createOpenLists({ pagesPerList, seed });
  const none = { targets: [], edges: 0, people: 0 };
  return {
    ...none,
    warm: none,
    find: (target, cursor) => {
      const { text, next } = lists.read(target, cursor ?? null);
      return createAnswer(text, next ?? undefined, 0, 1);
    },
  };
}

function startServer(options: ServerOptions): void {
  const { find: findPage, ...lists } = options.endless ? createEndlessLists(options) : createLists(options);
  const token = asJson(TOKEN_INFO);
  const notFound = formatResponse('{"error":"no such page"}', '404 Not Found');
  let version = 0;
  let served = 0;

  function find(line: string): Answer | Buffer {
    const target = parameter(line, 'restId=');
    const page = target === undefined ? undefined : findPage(target, parameter(line, 'cursor='), version);
    if (page) {
      served++;
      return page;
    }
    if (line.includes(TOKEN_INFO_PATH)) return token;
    version = Number(parameter(line, VERSION_PATH) ?? version);
    return line.includes(USAGE_PATH) || line.includes(VERSION_PATH) ? asJson(readUsage()) : notFound;
  }

  function readUsage(): ServerUsage {
    const { user, system } = process.cpuUsage();
    return { pages: served, cpuUs: user + system };
  }

  const server = createServer({ noDelay: true }, (socket) => serveConnection(socket, find));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the load server has no port');
    process.stdout.write(`${JSON.stringify({ ...lists, port: address.port } satisfies ServerReady)}\n`);
  });
  // The server ends when its stdin is closed.
  process.stdin.resume().once('end', () => process.exit());
}

const describe = ({ targets, edges, people }: Workload): ServedLists => ({ targets, edges, people });

/** Answers the requests of a connection in order, also pipelined ones. */
function serveConnection(socket: Socket, find: (line: string) => Answer | Buffer): void {
  let rest = '';
  const send = (response: Buffer): void => void (socket.writable && socket.write(response));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    for (let end = rest.indexOf(END); end !== -1; end = rest.indexOf(END)) {
      const head = rest.slice(0, end);
      rest = rest.slice(end + END.length);
      const answer = find(head.slice(0, head.indexOf('\r\n')));
      if (Buffer.isBuffer(answer)) {
        send(answer);
        continue;
      }
      const response = ACCEPTS_GZIP.test(head) ? answer.gzip : answer.plain;
      // Timers of the same duration share one list: they are cheap and keep their order.
      if (answer.delayMs > 0) setTimeout(send, answer.delayMs, response);
      else send(response);
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
