import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { openConnection } from '#store/sqlite/driver.ts';
import {
  measureRun,
  readArguments,
  report,
  type RunArguments,
  type RunResult,
  selectVersion,
  threadTimes,
} from './child.ts';
import { openWork } from './open-work.ts';
import { createRedisMeter } from './redis-meter.ts';

/**
 * A worker with all features on: queue, quota ledger and raw pages. Measures from the first queued crawl to the end of
 * the last one, and then counts the stored rows.
 */

export interface TrawlArguments extends RunArguments {
  /** The built trawl. */
  readonly dist: string;
  /** Crawls everything once per element, from this version of the pages, and reports all runs. */
  readonly versions: readonly number[];
}

interface Stored {
  readonly pages: number;
  readonly unfinished: number;
}

/** The interval of polls for the end: long while it is far, since a poll costs the measured thread time. */
const POLL_MS = { min: 2, max: 100 };
/** The time until the workers of a new queue listen. */
const SETTLE_MS = 200;
/** Concurrent crawls of the worker, also for variants with one crawl. */
const CONCURRENCY = 32;

const run = readArguments<TrawlArguments>();
const redisMeter = createRedisMeter();
const { work, enqueue } = await openWork(run);
const db = openConnection(run.db, { readonly: true });
const stored = db.prepare(
  'select coalesce(sum(pages), 0) as pages, count(*) - count(finished_at) as unfinished from crawls',
);

const results: RunResult[] = [];
try {
  await using workers = work.startWorkers(CONCURRENCY);
  await delay(SETTLE_MS);
  await Promise.race([crawl(run.warm.targets), workers.stopped]);
  const before = countRows();
  for (const version of run.versions) {
    await selectVersion(run.url, version);
    results.push(await measureCrawl(workers.stopped));
  }
  verify(before);
} finally {
  db.close();
  // Also after a failure, so that the queue's server ends.
  await work[Symbol.asyncDispose]();
}
report({ results });

async function measureCrawl(stopped: Promise<never>): Promise<RunResult> {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  const redisUsage = await redisMeter.start(work.redis.connect());
  const threads = threadTimes();
  lag.enable();
  const result = await measureRun(run.url, async () => {
    await Promise.race([crawl(run.targets), stopped]);
  });
  lag.disable();
  const others = [...threadTimes()]
    .filter(([thread]) => thread !== process.pid)
    .map(([thread, ms]) => ms - (threads.get(thread) ?? 0))
    .toSorted((a, b) => b - a);
  return {
    ...result,
    more: {
      // The monitor samples once a millisecond, which is also its value for an idle loop.
      lagP99Ms: Math.max(0, lag.percentile(99) / 1e6 - 1),
      lagMaxMs: Math.max(0, lag.max / 1e6 - 1),
      peakRssMb: process.resourceUsage().maxRSS / 1024,
      busiestOtherThreadMs: others[0] ?? 0,
      ...(await redisUsage.end(result.pages)),
    },
  };
}

/** Queues crawls and polls the store for their end, at shorter intervals towards it. */
async function crawl(targets: readonly string[]): Promise<void> {
  const startedAt = performance.now();
  const before = stored.get() as Stored;
  await enqueue(targets);
  for (;;) {
    const { pages, unfinished } = stored.get() as Stored;
    if (unfinished === 0) return;
    const done = (pages - before.pages) / run.pages;
    const left = done > 0 ? (performance.now() - startedAt) * (1 / done - 1) : 0;
    await delay(Math.min(POLL_MS.max, Math.max(POLL_MS.min, left / 4)));
  }
}

type RowCounts = Record<'edges' | 'people' | 'complete' | 'pages' | 'items', number>;

function countRows(): RowCounts {
  const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
  return {
    edges: count('select count(*) from follows'),
    people: count('select count(*) from users where followers_count is not null'),
    complete: count("select count(*) from crawls where state = 'complete'"),
    pages: count('select coalesce(sum(pages), 0) from crawls'),
    items: count('select coalesce(sum(items), 0) from crawls'),
  };
}

/** @throws Error if the stored rows differ from the served ones */
function verify(before: RowCounts): void {
  const { edges, people, pages, targets } = run;
  const rounds = run.versions.length;
  const expected: RowCounts = {
    edges,
    people,
    complete: targets.length * rounds,
    pages: pages * rounds,
    items: edges * rounds,
  };
  const after = countRows();
  for (const name of Object.keys(expected) as (keyof RowCounts)[]) {
    const found = after[name] - before[name];
    if (found !== expected[name]) throw new Error(`${found} ${name} were stored instead of ${expected[name]}`);
  }
}
