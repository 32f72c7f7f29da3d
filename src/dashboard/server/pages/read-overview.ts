import { type Overview, readOverview } from '#analysis/crawls/crawl-overview.ts';
import { countRequestsSince, findFirstIdSince, MAX_DISORDER_MS } from '#analysis/crawls/throughput.ts';
import { measureStore, readDisk } from '#analysis/disk-answer.ts';
import { answerShipLag, measureShipLag } from '#analysis/ship-lag.ts';
import { answerOutage, answerPause, findQuota, answerQuota, type KnownQuota } from '#analysis/status/quota-answer.ts';
import { answerWorkers, listNextTimes } from '#analysis/status/workers-answer.ts';
import { MINUTE, SECOND } from '#base/clock.ts';
import type { HoldConditions } from '#crawl/gates/describe-holds.ts';
import type { CrawlState, GrowthData, OverviewData, SpendingData, QuotaData } from '#dashboard/server/api/overview.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import type { Db } from '#store/sqlite/database.ts';
import { describeCrawlTarget, readUrgentCrawls, SHOWN_CRAWLS, readFailedCrawls } from './crawl-lines.ts';
import { listAttention } from './needs-attention.ts';

const SPENDING_MS = 60 * MINUTE;
/** How long data is kept that is slow to read and changes slowly. */
const SLOW_MS = 30 * SECOND;
/** The number of crawls that are named. */
const SPENDERS = 5;

/** Reads the page Overview: indexes and a few rows, whatever the number of crawls. */
export function readOverviewData(context: ReadContext, { queue }: ReadRequest): OverviewData {
  const { db, settings, now, remember } = context;
  const overview = readOverview(db, now);
  const growth = readGrowth(context);
  const known = findQuota(queue, settings, () => overview.sample);
  const quota = known ? toQuotaData(context, known) : null;
  const dueTimes = remember('due jobs', SLOW_MS, () => listNextTimes(db, now)).filter((at) => at <= now);
  const work = answerWorkers(overview, queue, dueTimes.length);
  const counts = sumByState(overview);
  const failed = readFailedCrawls(db, SHOWN_CRAWLS);
  const ship = readShipTargets(db).map((target) => answerShipLag(measureShipLag(target, now), now));
  const conditions: HoldConditions = queue && 'quota' in queue ? queue : {};
  return {
    at: now,
    changedAt: readLastChange(db),
    attention: listAttention(context, {
      problem: queue && 'problem' in queue ? queue.problem : undefined,
      outage: answerOutage(conditions.outage, overview.paused, now),
      paused: overview.paused.map((pause) => answerPause(pause, conditions, now)),
      quota,
      growth,
      work,
      dueTimes,
      failed,
      ship,
    }),
    throughput: overview.rates,
    counts,
    growth,
    quota,
    work,
    ship: ship.map((target) => ({ ...target, target: toShortLine(target.target) })),
    spending: remember(`spending ${settings.path}`, 5 * SECOND, () => readSpending(db, now)),
    crawls: readUrgentCrawls(context, failed, known),
  };
}

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
const readGrowth = ({ db, settings: { path, minFree }, now, remember }: ReadContext): GrowthData => ({
  ...measureStore(db, path),
  ...remember('disk', SLOW_MS, () => readDisk(path, db, minFree, now)),
});

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

/** The samples of at least this time are shown, and at most this many. */
const SHOWN_MS = 30 * MINUTE;
const SHOWN_SAMPLES = 720;
/** A process that sends requests polls token-info at least twice a minute: after this time nobody does. */
const BREAK_MS = 90_000;

/** Returns a quota with its samples for the page. */
function toQuotaData({ db, now }: ReadContext, quota: KnownQuota): QuotaData {
  const { limit, windowMs = 0 } = quota;
  const answer = answerQuota(quota, now);
  const { left, reserve } = answer;
  const samples = readSamples(db, now - Math.max(SHOWN_MS, windowMs));
  return { ...answer, limit, left: left ?? 0, reserve: reserve ?? 0, samples };
}

/** The latest samples of the key that was used last, oldest first, with breaks between those that are far apart. */
function readSamples({ $client }: Db, since: number): QuotaData['samples'] {
  const rows = $client
    .prepare<[number, number], { at: number; left: number }>(
      `select sampled_at as at, remaining as left from _quota_samples
       where sampled_at >= ? and key_hash is (select key_hash from _quota_samples order by id desc limit 1)
       order by id desc limit ?`,
    )
    .all(since, SHOWN_SAMPLES)
    .toReversed();
  return rows.flatMap(({ at, left }, i) => {
    const before = rows[i - 1];
    const isBreak = before !== undefined && at - before.at > BREAK_MS;
    return isBreak ? [[before.at + 1, null] as const, [at, left] as const] : [[at, left] as const];
  });
}
