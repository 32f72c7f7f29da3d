import type Database from 'better-sqlite3';
import { openConnection } from '../src/store/sqlite/driver.ts';
import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createCommitFactory, followersSpecOf } from './crawled-pages.ts';
import { generatePages } from './workload.ts';

/**
 * Measures the overhead of the store over its statements: the same pages once through the store, on this thread, and
 * once as the recorded statements with their values.
 */

export interface StatementsArguments {
  readonly dist: string;
  /** Paths of three databases to create. */
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
const createCommit = await createCommitFactory(run.dist);

const NO_LISTENER = { opened: () => undefined, ready: () => undefined };
const recorded = await record(run.databases[0]);
const measurements = [
  async () => ({ storeMs: await measureStore(run.databases[1], NO_LISTENER) }),
  async () => ({ replayMs: await measureReplay(run.databases[2]) }),
];
const results: object[] = [];
for (const measurement of run.replayFirst ? measurements.toReversed() : measurements) results.push(await measurement());
report(Object.assign({}, ...results) as StatementsResult);

/** Returns CPU milliseconds to store the pages. The listener is called when the store is open and when crawls are leased. */
async function measureStore(path: string, listener: { opened(): void; ready(): void }): Promise<number> {
  const store = openStore(path);
  listener.opened();
  const source = generatePages({ lists: LISTS, pagesPerList: 10_000, seed: 3 });
  const pages = Array.from({ length: Math.ceil(run.pages / LISTS) }, () => source.next().value).flat();
  const leases: { id: number; lease: number }[] = [];
  for (const { target } of pages.slice(0, LISTS)) {
    const [opened] = await store.write.openCrawls([followersSpecOf(target)], 1);
    const row = await store.write.takeLease(opened!.id, 1);
    leases.push({ id: row!.id, lease: row!.leaseToken });
  }
  const commits = pages.map((page, i) => createCommit(page, leases[page.place]!, 1_700_000_000_000 + i));
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

/** Returns all statements in order: those that prepare the crawls, and those of the pages. */
async function record(path: string): Promise<{ before: Recorded[]; pages: Recorded[] }> {
  const calls: Recorded[] = [];
  let opened = 0;
  let ready = 0;
  const probe = openConnection(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('select 1')) as Record<Recorded['method'], Statement['run']>;
  const originals = { run: prototype.run, get: prototype.get, all: prototype.all };
  for (const method of ['run', 'get', 'all'] as const) {
    prototype[method] = function recordCall(this: Statement, ...values: unknown[]) {
      calls.push({ sql: this.source, method, values });
      return originals[method].apply(this, values);
    };
  }
  try {
    await measureStore(path, { opened: () => (opened = calls.length), ready: () => (ready = calls.length) });
  } finally {
    Object.assign(prototype, originals);
    probe.close();
  }
  return { before: calls.slice(opened, ready), pages: calls.slice(ready) };
}

/** Returns CPU milliseconds to run the same statements on an equal database. */
async function measureReplay(path: string): Promise<number> {
  await openStore(path)[Symbol.asyncDispose]();
  const db = openConnection(path);
  for (const setting of ['synchronous = NORMAL', 'cache_size = -65536', 'temp_store = MEMORY']) db.pragma(setting);
  const prepared = new Map<string, Statement>();
  const prepare = ({ sql, method, values }: Recorded) => {
    const statement = prepared.get(sql) ?? db.prepare<unknown[]>(sql);
    prepared.set(sql, statement);
    if (statement.reader) statement.raw();
    return { statement, method, values };
  };
  const runStatements = (steps: ReturnType<typeof prepare>[]): void => {
    for (const { statement, method, values } of steps) statement[method](...values);
  };
  runStatements(recorded.before.map(prepare));
  const pages = recorded.pages.map(prepare);
  const ms = await cpuOf(() => runStatements(pages));
  db.close();
  return ms;
}
