import Database from 'better-sqlite3';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { committing, followersOf } from './crawled-pages.ts';
import { walkedPages } from './workload.ts';

/**
 * What the store adds to its statements: the same pages once through the store, on this thread, and once as nothing but
 * the statements that it ran, with the values it bound, prepared by hand.
 */

export interface StatementsArguments {
  readonly dist: string;
  /** Names of three databases to make. */
  readonly databases: readonly [string, string, string];
  readonly pages: number;
  readonly replayFirst: boolean;
}

export interface StatementsResult {
  readonly storeMs: number;
  readonly replayMs: number;
}

interface Recorded {
  readonly sql: string;
  readonly method: 'run' | 'get' | 'all';
  readonly values: readonly unknown[];
}

type Statement = Database.Statement<unknown[]>;

const LISTS = 8;

const run = readArguments<StatementsArguments>();
const { openStore } = await load(run.dist, 'store/store.js');
const toCommit = await committing(run.dist);

const NOBODY = { opened: () => undefined, ready: () => undefined };
const script = await record(run.databases[0]);
const turns = [
  async () => ({ storeMs: await throughStore(run.databases[1], NOBODY) }),
  async () => ({ replayMs: await replay(run.databases[2]) }),
];
const results: object[] = [];
for (const turn of run.replayFirst ? turns.toReversed() : turns) results.push(await turn());
report(Object.assign({}, ...results) as StatementsResult);

/** Milliseconds of CPU to store the pages. Tells when the store is open, and when its crawls are leased. */
async function throughStore(path: string, listener: { opened(): void; ready(): void }): Promise<number> {
  const store = openStore(path);
  listener.opened();
  const source = walkedPages({ lists: LISTS, pagesPerList: 10_000, seed: 3 });
  const pages = Array.from({ length: Math.ceil(run.pages / LISTS) }, () => source.next().value).flat();
  const leases: { id: number; lease: number }[] = [];
  for (const { target } of pages.slice(0, LISTS)) {
    const [opened] = await store.write.openCrawls([followersOf(target)], 1);
    const row = await store.write.takeLease(opened!.id, 1);
    leases.push({ id: row!.id, lease: row!.leaseToken });
  }
  const commits = pages.map((page, i) => toCommit(page, leases[page.place]!, 1_700_000_000_000 + i));
  listener.ready();
  const ms = await cpuOf(async () => {
    for (const commit of commits) await store.write.commitPage(commit);
  });
  await store[Symbol.asyncDispose]();
  return ms;
}

async function cpuOf(work: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Every statement that storing the pages runs, in order: those that make it ready, and then the pages. */
async function record(path: string): Promise<{ before: Recorded[]; pages: Recorded[] }> {
  const list: Recorded[] = [];
  let opened = 0;
  let ready = 0;
  const probe = new Database(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('select 1')) as Record<Recorded['method'], Statement['run']>;
  const originals = { run: prototype.run, get: prototype.get, all: prototype.all };
  for (const method of ['run', 'get', 'all'] as const) {
    prototype[method] = function note(this: Statement, ...values: unknown[]) {
      list.push({ sql: this.source, method, values });
      return originals[method].apply(this, values);
    };
  }
  try {
    await throughStore(path, { opened: () => (opened = list.length), ready: () => (ready = list.length) });
  } finally {
    Object.assign(prototype, originals);
    probe.close();
  }
  return { before: list.slice(opened, ready), pages: list.slice(ready) };
}

/** Milliseconds of CPU to run the same statements again, from the same start. */
async function replay(path: string): Promise<number> {
  await openStore(path)[Symbol.asyncDispose]();
  const db = new Database(path);
  for (const setting of ['synchronous = NORMAL', 'cache_size = -65536', 'temp_store = MEMORY']) db.pragma(setting);
  const prepared = new Map<string, Statement>();
  const prepare = ({ sql, method, values }: Recorded) => {
    const statement = prepared.get(sql) ?? db.prepare<unknown[]>(sql);
    prepared.set(sql, statement);
    if (statement.reader) statement.raw();
    return { statement, method, values };
  };
  const play = (steps: ReturnType<typeof prepare>[]): void => {
    for (const { statement, method, values } of steps) statement[method](...values);
  };
  play(script.before.map(prepare));
  const pages = script.pages.map(prepare);
  const ms = await cpuOf(() => play(pages));
  db.close();
  return ms;
}
