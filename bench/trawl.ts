import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { load } from './built-trawl.ts';
import { measured, readArguments, report, type RunArguments, type RunResult, threadTimes } from './child.ts';
import { profileOf } from './profile.ts';
import { redisMeter } from './redis-meter.ts';

/**
 * trawl as people run it: a worker with the queue, the quota's ledger, raw pages, everything on. The clock runs from the
 * first crawl that is enqueued to the end of the last one, and what was stored is counted afterwards.
 */

export interface TrawlArguments extends RunArguments {
  /** The built trawl. */
  readonly dist: string;
  readonly keepRaw: boolean;
  /** Crawl everything again, and report that too. */
  readonly again: boolean;
  /** Keep a reader open, so that the WAL holds all that is ever written to it, and tell its size. */
  readonly holdWal: boolean;
  /** Tell by samples of the main thread which part of it is the queue's. */
  readonly profile: boolean;
}

interface Stored {
  readonly pages: number;
  readonly unfinished: number;
}

/** How closely the end is watched for: rarely while it is far, because looking costs the measured thread time. */
const LOOK_MS = { least: 2, most: 100 };
/** Until the workers of a fresh queue listen. */
const SETTLE_MS = 200;
/** Crawls at a time, also where there is one: it is what workers are started with. */
const CONCURRENCY = 32;

const run = readArguments<TrawlArguments>();
const { openWorkContext } = await load(run.dist, 'composition.js');
const { buildChildEnvironment, readConfig } = await load(run.dist, 'config.js');
const { createLog } = await load(run.dist, 'log.js');
const { createCrawlSpec } = await load(run.dist, 'kinds/crawl-spec.js');

const redis = redisMeter();
const work = await openWorkContext({
  config: readConfig({ ...buildChildEnvironment(), TRAWL_API_URL: run.url, TRAWL_API_KEY: 'bench' }),
  db: run.db,
  service: { apiUrl: run.url, apiKey: 'bench' },
  log: createLog({ level: 'warn' }),
  keepRaw: run.keepRaw,
});
const db = new Database(run.db, { readonly: true });
const stored = db.prepare(
  'select coalesce(sum(pages), 0) as pages, count(*) - count(finished_at) as unfinished from crawls',
);
const holder = new Database(run.db, { readonly: true });
if (run.holdWal) holder.exec('begin; select count(*) from crawls');

const results: RunResult[] = [];
try {
  await using workers = work.startWorkers(CONCURRENCY);
  await delay(SETTLE_MS);
  await Promise.race([crawl(run.warm), workers.stopped]);
  const before = tally();
  results.push(await measureCrawl(workers.stopped));
  if (run.again) results.push(await measureCrawl(workers.stopped));
  verify(before);
} finally {
  for (const connection of [db, holder]) connection.close();
  // Also after a failure: or the queue's server would stay behind.
  await work[Symbol.asyncDispose]();
}
report({ results });

async function measureCrawl(stopped: Promise<never>): Promise<RunResult> {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  const used = await redis.start(work.redis.connect());
  const threads = threadTimes();
  const walBefore = walBytes();
  lag.enable();
  const profile = run.profile ? await profileOf() : undefined;
  const result = await measured(run.url, async () => {
    await Promise.race([crawl(run.targets), stopped]);
  });
  const shares = await profile?.end();
  lag.disable();
  const others = [...threadTimes()]
    .filter(([thread]) => thread !== process.pid)
    .map(([thread, ms]) => ms - (threads.get(thread) ?? 0))
    .toSorted((a, b) => b - a);
  return {
    ...result,
    more: {
      // The meter looks once a millisecond: what it sees of an idle loop is that.
      lagP99Ms: Math.max(0, lag.percentile(99) / 1e6 - 1),
      lagMaxMs: Math.max(0, lag.max / 1e6 - 1),
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      busiestOtherThreadMs: others[0] ?? 0,
      ...(run.holdWal ? { walBytes: walBytes() - walBefore } : {}),
      ...(await used.end(result.pages)),
      ...shares,
    },
  };
}

/** Enqueues crawls and watches for their end in the store, the more closely the nearer it is. */
async function crawl(targets: readonly string[]): Promise<void> {
  const specs = targets.map((target) => {
    return createCrawlSpec({ kind: 'followers', target: `id:${target}`, priority: 'interactive' });
  });
  const startedAt = performance.now();
  const before = stored.get() as Stored;
  if (specs.length > 0) await work.producer.enqueue(specs);
  for (;;) {
    const { pages, unfinished } = stored.get() as Stored;
    if (unfinished === 0) return;
    const done = (pages - before.pages) / run.pages;
    const left = done > 0 ? (performance.now() - startedAt) * (1 / done - 1) : 0;
    await delay(Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, left / 4)));
  }
}

function walBytes(): number {
  return statSync(`${run.db}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

type Tally = Record<'edges' | 'people' | 'complete' | 'pages' | 'items', number>;

function tally(): Tally {
  const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
  return {
    edges: count('select count(*) from follows'),
    people: count('select count(*) from users where followers_count is not null'),
    complete: count("select count(*) from crawls where state = 'complete'"),
    pages: count('select coalesce(sum(pages), 0) from crawls'),
    items: count('select coalesce(sum(items), 0) from crawls'),
  };
}

/** @throws Error when what was stored is not what was served. */
function verify(before: Tally): void {
  const { edges, people, pages, targets } = run;
  const rounds = run.again ? 2 : 1;
  const expected: Tally = {
    ...{ edges, people, complete: targets.length * rounds },
    ...{ pages: pages * rounds, items: edges * rounds },
  };
  const after = tally();
  for (const name of Object.keys(expected) as (keyof Tally)[]) {
    const found = after[name] - before[name];
    if (found !== expected[name]) throw new Error(`${found} ${name} were stored instead of ${expected[name]}`);
  }
}
