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
 * What one page of 100 followers costs the main thread before the store, part by part, as CPU of this process and as
 * a ratio to receiving and JSON.parse alone. The parts take turns, so that a slow moment hits all of them alike.
 * Run it compiled: a loader that names functions again slows what makes many of them.
 */

const SIZE = { targets: 8, pagesPerTarget: 32, perPage: 100, seed: 7 };
const AT_ONCE = 32;
const WARM_UP = 512;
const UNIT = 'drain + JSON.parse';

interface Part {
  readonly name: string;
  /** Does its work for so many pages. */
  readonly run: (pages: number) => unknown;
}

const workload = createWorkload(SIZE);
const bodies = workload.pages.flat().map((page) => Buffer.from(page));

/** Repeats what is done with one page, for pages in turn. Nothing made of a page is kept: what is would slow the rest. */
const each = (name: string, one: (body: Buffer) => unknown): Part => ({
  name,
  run: (pages) => {
    for (let i = 0; i < pages; i++) one(bodies[i % bodies.length]!);
  },
});

/** The same for what waits: several lanes at a time. */
const fetched = (name: string, one: (index: number) => Promise<void>): Part => ({
  name,
  run: async (pages) => {
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let i = next++; i < pages; i = next++) await one(i % bodies.length);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  },
});

/** Each does what the one before does, and one thing more. */
function steps(): Part[] {
  const parse = (body: Buffer): unknown => JSON.parse(body.toString('utf8'));
  const parseAsClient = (raw: Buffer): unknown =>
    parseResponse({ endpoint: 'followers', status: 200, contentType: undefined, raw, ms: 0, redact: String });
  const read = (body: Buffer): WirePage => readPage('followers', parseAsClient(body));
  const rows = (body: Buffer): PageRows => normaliseFollowersPage(read(body), { target: '1' }).rows;
  return [
    each('toString', (body) => body.toString('utf8')),
    each('toString + JSON.parse', parse),
    each('parseAnswer', parseAsClient),
    each('parseAnswer + readPage', read),
    each('… + contract check alone', (body) => {
      for (const { value } of read(body).items) summaryInspector.inspect(value);
    }),
    each('… + normalise', rows),
    each('… + normalise + structuredClone', (body) => structuredClone(rows(body))),
  ];
}

function fetchedParts(client: Client, pool: Pool): Part[] {
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
    fetched('drain', async (i) => void (await receive(i))),
    fetched(UNIT, async (i) => void JSON.parse((await receive(i)).toString('utf8'))),
    fetched('client.fetch', async (i) => void (await client.fetch('followers', paths[i]!))),
    fetched('client.fetch + readPage + normalise', async (i) => {
      const { body } = await client.fetch('followers', paths[i]!);
      normaliseFollowersPage(readPage('followers', body), { target: paths[i]!.restId });
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
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { ready: JSON.parse(line) as ServerReady, stop: () => child.stdin.end() };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Medians; of ratios, that of the rounds, in each of which both were measured. */
function line(name: string, us: readonly number[], unit: readonly number[]): string {
  const ratio = median(us.map((value, round) => value / unit[round]!));
  return `${name.padEnd(40)}${median(us).toFixed(0).padStart(6)} us${ratio.toFixed(3).padStart(10)}\n`;
}

const { values: words } = parseArgs({
  options: { pages: { type: 'string', default: '1024' }, rounds: { type: 'string', default: '7' } },
});
const server = await startServer();
const url = `http://127.0.0.1:${server.ready.port}`;
const client = createClient({ baseUrl: url, apiKey: 'key', connections: AT_ONCE });
const pool = new Pool(url, { connections: AT_ONCE });
const parts = [...fetchedParts(client, pool), ...steps()];
const seen = new Map<string, number[]>(parts.map(({ name }) => [name, []]));
for (const part of parts) await measure(part, WARM_UP);
for (let round = 0; round < Number(words.rounds); round++) {
  for (const part of parts) seen.get(part.name)!.push(await measure(part, Number(words.pages)));
}
for (const [name, us] of seen) process.stdout.write(line(name, us, seen.get(UNIT)!));
await client.close();
await pool.destroy();
server.stop();
