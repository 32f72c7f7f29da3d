import { type Overview, readOverview } from '../../../../analysis/crawls/crawl-overview.ts';
import { countRequestsSince, findFirstIdSince, MAX_DISORDER_MS } from '../../../../analysis/crawls/throughput.ts';
import { measureStore, readDiskReport } from '../../../../analysis/disk-report.ts';
import { LONG_SHIP_LAG_MS, measureShipLag, type ShipLag } from '../../../../analysis/ship-lag.ts';
import { MINUTE, SECOND } from '../../../../base/clock.ts';
import { isSoftLocked } from '../../../../crawl/queue/soft-locks.ts';
import { readShipTargets } from '../../../../store/outbox/ship-targets.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { CrawlState, GrowthData, OverviewData, ShipData, SpendingData, WorkData } from '../../api/overview.ts';
import type { QueueReading, ReadContext, ReadRequest } from '../../reader/read.ts';
import { toShortLine } from '../../reader/short-line.ts';
import { describeCrawlTarget, readUrgentCrawls, SHOWN_CRAWLS } from './crawl-lines.ts';
import { readFailedCrawls } from './failed-crawls.ts';
import { listAttention } from './needs-attention.ts';
import { findQuota, toQuotaData } from './quota-data.ts';

const SPENDING_MS = 60 * MINUTE;
/** The number of crawls that are named. */
const SPENDERS = 5;

/** Reads the page Overview: indexes and a few rows, whatever the number of crawls. */
export function readOverviewData(context: ReadContext, { queue }: ReadRequest): OverviewData {
  const { db, settings, now, remember } = context;
  const overview = readOverview(db, now);
  const growth = readGrowth(context);
  const quota = findQuota(context, queue, () => overview.sample);
  const work = describeWork(overview, queue);
  const counts = sumByState(overview);
  const failed = readFailedCrawls(db, SHOWN_CRAWLS);
  const lags = readShipTargets(db).map((target) => measureShipLag(target, now));
  return {
    at: now,
    changedAt: readLastChange(db),
    attention: listAttention(context, {
      overview,
      queue,
      growth,
      work,
      counts,
      failed,
      lags,
    }),
    throughput: overview.rates,
    counts,
    growth,
    quota: quota ? toQuotaData(context, quota, queue) : null,
    work,
    ship: lags.map(toShipData),
    spending: remember(`spending ${settings.path}`, 5 * SECOND, () => readSpending(db, now)),
    crawls: readUrgentCrawls(context, failed, quota),
  };
}

const toShipData = ({ address, ms, ...lag }: ShipLag): ShipData => ({
  ...lag,
  target: toShortLine(address),
  lagMs: ms,
  isLate: ms >= LONG_SHIP_LAG_MS,
});

/** When a request, a commit or a new crawl last changed the store. */
const readLastChange = ({ $client }: Db): number | null =>
  $client
    .prepare<[], number | null>(
      `select max(at) from (
         select (select sent_at + duration_ms from requests order by id desc limit 1) as at
         union all select (select committed_at from _steps order by id desc limit 1)
         union all select (select max(created_at, updated_at) from crawls order by id desc limit 1)
       )`,
    )
    .pluck()
    .get()!;

function sumByState({ counts }: Overview): OverviewData['counts'] {
  const sums: Partial<Record<CrawlState, number>> = {};
  for (const { state, n } of counts) sums[state] = (sums[state] ?? 0) + n;
  return sums;
}

/** The growth samples hundreds of rows, and changes slowly. */
function readGrowth({ db, settings: { path, minFree }, now, remember }: ReadContext): GrowthData {
  const disk = remember('disk', 30 * SECOND, () => readDiskReport(path, db, minFree, now));
  return {
    ...measureStore(db, path),
    bytesPerDay: disk.growth ?? null,
    free: disk.free,
    minFree: disk.minFree,
    daysLeft: disk.daysLeft ?? null,
  };
}

/** Grouped by crawl first, in index order: there are far fewer crawls than requests. */
const SPENDERS_SQL = `select coalesce(c.root_id, c.id) as id, sum(n) as requests
  from (select crawl_id, count(*) as n from requests not indexed
        where id >= @first and sent_at > @since group by crawl_id) sent
  join crawls c on c.id = sent.crawl_id group by 1 order by 2 desc, 1 limit @most`;

function readSpending(db: Db, now: number): SpendingData {
  const since = now - SPENDING_MS;
  const first = findFirstIdSince(db, since - MAX_DISORDER_MS);
  const { $client } = db;
  const top = $client
    .prepare<[object], { id: number; requests: number }>(SPENDERS_SQL)
    .all({ first, since, most: SPENDERS });
  const name = $client.prepare<[number], Parameters<typeof describeCrawlTarget>[1]>(
    'select kind, target, handle, target_rest_id as targetRestId from crawls where id = ?',
  );
  const crawls = top.map(({ id, requests }) => {
    const crawl = name.get(id);
    return {
      id,
      name: crawl ? toShortLine(`${crawl.kind} ${describeCrawlTarget(db, crawl)}`) : `crawl ${id}`,
      requests,
    };
  });
  const requests = countRequestsSince(db, since);
  const named = crawls.reduce((sum, one) => sum + one.requests, 0);
  return { ms: SPENDING_MS, requests, crawls, others: requests - named };
}

function describeWork({ softLocks, at }: Overview, queue: QueueReading): WorkData {
  const runs = softLocks.filter((lock) => isSoftLocked(lock, at)).length;
  if (queue === undefined) return { workers: 0, runs, problem: null };
  if ('problem' in queue) return { workers: null, runs, problem: queue.problem };
  return { workers: queue.workers ?? null, runs, problem: null };
}
