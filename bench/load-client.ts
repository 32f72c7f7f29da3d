import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { readArguments, report } from './child.ts';

/**
 * Sends requests as fast as the service answers, one per connection at a time, and times every response. It reads only
 * the head of a response, so it costs less than the server.
 */

/** Each line on stdin is a load, and is answered with a line. */
export interface Load {
  readonly url: string;
  /** Requested paths; each connection starts at another one. */
  readonly paths: readonly string[];
  readonly key: string;
  readonly connections: number;
  readonly requests: number;
}

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from request to end of response. */
  readonly p50: number;
  readonly p99: number;
  readonly bytesPerAnswer: number;
  /** CPU of this process over wall time; near 1, the client is the bottleneck. */
  readonly clientShare: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = 'content-length: ';

async function load({ url, paths, key, connections, requests }: Load): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const heads = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\n\r\n`));
  const latencies: number[] = [];
  let sent = 0;
  let bytes = 0;
  const nextHead = (): Buffer | undefined => (sent < requests ? heads[sent++ % heads.length] : undefined);

  const runConnection = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let startedAt = 0;
      /** Remaining bytes of the body; undefined within the head. */
      let remainingBytes: number | undefined;
      let head: Buffer = Buffer.alloc(0);
      function sendNext(): void {
        const next = nextHead();
        if (!next) return resolve();
        startedAt = performance.now();
        socket.write(next);
      }
      function receive(chunk: Buffer): void {
        bytes += chunk.length;
        if (remainingBytes === undefined) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
          const end = head.indexOf(HEAD_END);
          if (end === -1) return;
          remainingBytes = lengthOf(head.toString('latin1', 0, end)) - (head.length - end - HEAD_END.length);
          head = Buffer.alloc(0);
        } else remainingBytes -= chunk.length;
        if (remainingBytes > 0) return;
        remainingBytes = undefined;
        latencies.push(performance.now() - startedAt);
        sendNext();
      }
      socket.on('data', (chunk) => {
        try {
          receive(chunk);
        } catch (error) {
          reject(error as Error);
        }
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.once('connect', sendNext);
    });

  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  );
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(sockets.map(runConnection));
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.destroy();
  latencies.sort((a, b) => a - b);
  const quantile = (part: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))]!;
  return {
    perSecond: (latencies.length / wallMs) * 1000,
    p50: quantile(0.5),
    p99: quantile(0.99),
    bytesPerAnswer: bytes / latencies.length,
    clientShare: (user + system) / 1000 / wallMs,
  };
}

/** @throws if the status is not 200 */
function lengthOf(head: string): number {
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`answered with ${head.slice(0, 200)}`);
  const from = head.toLowerCase().indexOf(LENGTH) + LENGTH.length;
  return Number.parseInt(head.slice(from), 10);
}

readArguments();
report({ url: '', key: '' });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    load(JSON.parse(line) as Load).then(report, (error: unknown) => report({ failed: String(error) }));
  })
  .once('close', () => process.exit());
