import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { type Client, createClient } from '../src/client/client.ts';
import { parseResponse } from '../src/client/parse.ts';
import { summaryInspector } from '../src/contract/observed.ts';
import { readPage, type WirePage } from '../src/contract/pages.ts';
import { normaliseFollowersPage } from '../src/normalise/pages.ts';
import type { PageRows } from '../src/store/schema/rows.ts';
import type { ServerOptions, ServerReady } from './load-server.ts';
import { createWorkload } from './workload.ts';

/**
 * Measures the main thread's CPU for a page of 100 followers before the store, part by part, also as a ratio to
 * receiving and JSON.parse alone. The parts run in turn, so that changes of the machine affect all of them.
 * Run it compiled: a loader slows code that creates many functions.
 */

const SIZE = { targets: 8, pagesPerTarget: 32, perPage: 100, seed: 7 };
const CONCURRENCY = 32;
const WARM_UP = 512;
const UNIT = 'drain + JSON.parse';

interface Part {
  readonly name: string;
  /** Processes this many pages. */
  readonly run: (pages: number) => unknown;
}

const workload = createWorkload(SIZE);
const bodies = workload.pages.flat().map((page) => Buffer.from(page));

/** Processes pages in turn. No result is kept, since garbage would slow the other parts. */
const syncPart = (name: string, handle: (body: Buffer) => unknown): Part => ({
  name,
  run: (pages) => {
    for (let i = 0; i < pages; i++) handle(bodies[i % bodies.length]!);
  },
});

/** The same for asynchronous work, with several pages at a time. */
const asyncPart = (name: string, handle: (index: number) => Promise<void>): Part => ({
  name,
  run: async (pages) => {
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let i = next++; i < pages; i = next++) await handle(i % bodies.length);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  },
});

/** Each part does the work of the previous one and one step more. */
function createParseParts(): Part[] {
  const parse = (body: Buffer): unknown => JSON.parse(body.toString('utf8'));
  const parseAsClient = (raw: Buffer): unknown =>
    parseResponse({ endpoint: 'followers', status: 200, contentType: undefined, raw, ms: 0, redact: String });
  const read = (body: Buffer): WirePage => readPage('followers', parseAsClient(body));
  const rows = (body: Buffer): PageRows => normaliseFollowersPage(read(body), '1').rows;
  return [
    syncPart('toString', (body) => body.toString('utf8')),
    syncPart('toString + JSON.parse', parse),
    syncPart('parseAnswer', parseAsClient),
    syncPart('parseAnswer + readPage', read),
    syncPart('… + contract check alone', (body) => {
      for (const { value } of read(body).items) summaryInspector.inspect(value);
    }),
    syncPart('… + normalise', rows),
    syncPart('… + normalise + structuredClone', (body) => structuredClone(rows(body))),
  ];
}

function createFetchParts(client: Client, pool: Pool): Part[] {
  const headers = { 'x-api-key': 'key' };
  const paths = workload.targets.flatMap((target, t) =>
    workload.cursors[t]!.map((cursor) => ({ restId: target, ...(cursor === '' ? {} : { cursor }) })),
  );
  const receive = (index: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const path = `/api/microblog/followers?${new URLSearchParams(paths[index]).toString()}`;
      pool.dispatch(
        { method: 'GET', path, headers },
        {
          onRequestStart: () => undefined,
          onResponseData: (_, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  return [
    asyncPart('drain', async (i) => void (await receive(i))),
    asyncPart(UNIT, async (i) => void JSON.parse((await receive(i)).toString('utf8'))),
    asyncPart('client.fetch', async (i) => void (await client.fetch('followers', paths[i]!))),
    asyncPart('client.fetch + readPage + normalise', async (i) => {
      const { body } = await client.fetch('followers', paths[i]!);
      normaliseFollowersPage(readPage('followers', body), paths[i]!.restId);
    }),
  ];
}

/** Microseconds of CPU per page. */
async function measure(part: Part, pages: number): Promise<number> {
  const before = process.cpuUsage();
  await part.run(pages);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / pages;
}

async function startServer(): Promise<{ ready: ServerReady; stop: () => void }> {
  const options: ServerOptions = { ...SIZE, latencyMs: 0, warmPages: 0 };
  const script = fileURLToPath(new URL(`load-server${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [formatLine] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { ready: JSON.parse(formatLine) as ServerReady, stop: () => child.stdin.end() };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Formats the median, and the median ratio of all rounds. */
function formatLine(name: string, us: readonly number[], unit: readonly number[]): string {
  const ratio = median(us.map((value, round) => value / unit[round]!));
  return `${name.padEnd(40)}${median(us).toFixed(0).padStart(6)} us${ratio.toFixed(3).padStart(10)}\n`;
}

const { values: options } = parseArgs({
  options: { pages: { type: 'string', default: '1024' }, rounds: { type: 'string', default: '7' } },
});
const server = await startServer();
const url = `http://127.0.0.1:${server.ready.port}`;
const client = createClient({ baseUrl: url, apiKey: 'key', connections: CONCURRENCY });
const pool = new Pool(url, { connections: CONCURRENCY });
const parts = [...createFetchParts(client, pool), ...createParseParts()];
const durations = new Map<string, number[]>(parts.map(({ name }) => [name, []]));
for (const part of parts) await measure(part, WARM_UP);
for (let round = 0; round < Number(options.rounds); round++) {
  for (const part of parts) durations.get(part.name)!.push(await measure(part, Number(options.pages)));
}
for (const [name, us] of durations) process.stdout.write(formatLine(name, us, durations.get(UNIT)!));
await client.close();
await pool.destroy();
server.stop();
