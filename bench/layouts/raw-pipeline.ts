import { closeSync, fdatasync, mkdtempSync, openSync, rmSync, writevSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { brotliCompress, brotliCompressSync, constants, deflate, deflateSync } from 'node:zlib';
import { chunks, median, processCpuUs, table, threadCpuUs } from './measure.ts';
import { DECIDED, DECIDED_PRAGMAS, decidedStore, openTables } from './tables.ts';
import { bodyOf, type Page, userPages } from './workload.ts';

/**
 * The whole path but the network: this thread parses bodies and makes rows, another writes them in groups. Designs take
 * turns of some pages each. What counts is the clock against the turn of `none` beside it, and all the CPU.
 */

type Encode = (body: Uint8Array) => Uint8Array | null | Promise<Uint8Array>;
interface Message {
  readonly page: Page;
  readonly body: Uint8Array | null;
}

const brotli = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } });
const brotliLater = promisify(brotliCompress) as (body: Uint8Array, options: object) => Promise<Buffer>;
const deflateLater = promisify(deflate) as (body: Uint8Array, options: object) => Promise<Buffer>;

/** What is done to a body by the main thread (`before`: by the pool, while it goes on) and by the writer. */
const DESIGNS: Record<string, { before?: Encode; inside?: Encode; journal?: 'commit' | 'never' }> = {
  none: { before: () => null },
  'as it is': {},
  'zlib 1, writer': { inside: (body) => deflateSync(body, { level: 1 }) },
  'brotli 1, writer': { inside: (body) => brotliCompressSync(body, brotli(1)) },
  'zlib 1, pool': { before: (body) => deflateLater(body, { level: 1 }) },
  'brotli 0, pool': { before: (body) => brotliLater(body, brotli(0)) },
  'brotli 1, pool': { before: (body) => brotliLater(body, brotli(1)) },
  'journal, not synced': { journal: 'never' },
  'journal, synced before commits': { journal: 'commit' },
};
const WINDOW = 64;
const TURN = 256;

if (isMainThread) await main();
else write();

function write(): void {
  const { file, name } = workerData as { file: string; name: string };
  const { inside, journal } = DESIGNS[name]!;
  const raw = 'create table raw_pages (id integer primary key, hash text, body blob, at integer);';
  const db = openTables(file, DECIDED + raw, DECIDED_PRAGMAS);
  const descriptor = journal && openSync(`${file}-raw`, 'w');
  const insert = db.prepare('insert into raw_pages (body, at) values (?, ?)');
  const storeRows = decidedStore(db);
  const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')];
  const sync = promisify(fdatasync);
  const waiting: Message[] = [];
  let size = 0;
  let busy = false;

  async function group(): Promise<void> {
    const messages = waiting.splice(0, 32);
    const bodies = messages.map(({ body }) => body);
    const start = size;
    if (descriptor !== undefined) size += writevSync(descriptor, bodies as Uint8Array[]);
    const synced = journal === 'commit' ? sync(descriptor!) : undefined;
    begin.run();
    for (const { page, body } of messages) {
      if (descriptor !== undefined) insert.run(null, start);
      else insert.run(inside && body ? inside(body) : body, null);
      storeRows(page);
    }
    await synced;
    commit.run();
    parentPort!.postMessage(messages.length);
    if (waiting.length > 0) setImmediate(() => void group());
    else busy = false;
  }

  parentPort!.on('message', (message: Message | 'close' | 'cpu') => {
    if (message === 'cpu') return parentPort!.postMessage({ cpu: threadCpuUs() });
    if (message === 'close') {
      if (descriptor !== undefined) closeSync(descriptor);
      db.close();
      return parentPort!.close();
    }
    waiting.push(message);
    if (busy) return;
    busy = true;
    setImmediate(() => void group());
  });
  parentPort!.postMessage(0);
}

interface Turn {
  readonly wall: number;
  readonly cpu: number;
  readonly writer: number;
}

function runner(folder: string, name: string) {
  // A thread does not inherit tsx.
  const source = `import('tsx/esm/api').then(({ register }) => (register(), import(${JSON.stringify(import.meta.url)})))`;
  const file = join(folder, `${name.replaceAll(/\W/g, '')}.db`);
  const worker = new Worker(source, { eval: true, workerData: { file, name } });
  const { before } = DESIGNS[name]!;
  let open = 0;
  let wake: () => void = () => undefined;
  let told: (cpu: number) => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    wake = resolve;
  });
  worker.on('message', (message: number | { cpu: number }) => {
    if (typeof message === 'object') return told(message.cpu);
    open -= message;
    wake();
  });
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  const writerCpu = (): Promise<number> =>
    new Promise((resolve) => {
      told = resolve;
      worker.postMessage('cpu');
    });

  async function turn(pages: readonly { page: Page; body: Buffer }[]): Promise<Turn> {
    const writer = await writerCpu();
    const wall = performance.now();
    const cpu = processCpuUs();
    for (const { page, body } of pages) {
      // As it comes from a socket: memory of its own.
      const received = new Uint8Array(body);
      const parsed = JSON.parse(new TextDecoder().decode(received)) as { followers: object[] };
      const rows: Page = { ...page, users: page.users.map((user, i) => ({ ...parsed.followers[i], ...user })) };
      while (open >= WINDOW) await change();
      open++;
      const send = (encoded: Uint8Array | null): void => {
        const own = encoded && encoded.byteLength === encoded.buffer.byteLength;
        worker.postMessage({ page: rows, body: encoded }, own ? [encoded.buffer as ArrayBuffer] : []);
      };
      const encoded = before ? before(received) : received;
      if (encoded instanceof Promise) void encoded.then(send);
      else send(encoded);
      // The event loop turns between pages, as it does between answers.
      await new Promise((resolve) => setImmediate(resolve));
    }
    while (open > 0) await change();
    return { wall: performance.now() - wall, cpu: processCpuUs() - cpu, writer: (await writerCpu()) - writer };
  }
  return { name, ready, turn, close: () => worker.postMessage('close') };
}

async function main(): Promise<void> {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(DESIGNS);
  const pages = userPages(2048).map((page) => ({ page, body: bodyOf(page) }));
  const folder = mkdtempSync(join(tmpdir(), 'trawl-layouts-'));
  const runners = names.map((name) => runner(folder, name));
  await Promise.all(runners.map(({ ready }) => ready));
  const turns: Turn[][] = runners.map(() => []);
  for (const [n, some] of chunks(pages, TURN).entries()) {
    for (let i = 0; i < runners.length; i++) {
      const at = (i + n) % runners.length;
      turns[at]!.push(await runners[at]!.turn(some));
    }
  }
  for (const { close } of runners) close();
  table(
    ['medians of turns', 'wall us a page', 'x', 'all CPU us', 'x', 'writer CPU us', 'x'],
    runners.map(({ name }, i) => [
      name,
      ...(['wall', 'cpu', 'writer'] as const).flatMap((key) => {
        const mine = turns[i]!.map((turn) => turn[key]);
        const ratios = mine.map((value, n) => value / turns[0]![n]![key]);
        return [((median(mine) * (key === 'wall' ? 1000 : 1)) / TURN).toFixed(0), median(ratios).toFixed(2)];
      }),
    ]),
  );
  process.on('exit', () => rmSync(folder, { recursive: true }));
}
