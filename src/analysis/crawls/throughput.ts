import { and, desc, gt, gte, sql } from 'drizzle-orm';
import { countRows } from '#analysis/count-rows.ts';
import { MINUTE, SECOND, DAY } from '#base/clock.ts';
import { requests } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { Attribution } from './attributions.ts';
import { HAS_FAILED, IS_NOT_FOUND } from './request-outcomes.ts';

/** The throughput of a period up to now. */
export interface Rate {
  readonly ms: number;
  readonly requests: number;
  /** Of these, those without a response or with an error status, but for `notFound`. */
  readonly failed: number;
  /** Of these, those that the service answered with 404. */
  readonly notFound: number;
  readonly bytes: number;
  /**
   * Items of their pages. The store counts items by crawl: for a crawl that began before the period, its average per
   * request is used; otherwise the number is exact.
   */
  readonly items: number;
}

/** The time remaining of a crawl is estimated from the rate over this period, pauses included. */
export const REMAINING_RATE_MS = 30 * SECOND;

const PERIODS = [MINUTE, 5 * MINUTE, 60 * MINUTE] as const;

/** A request is stored with its page, so rows are out of order by at most this time. */
export const MAX_DISORDER_MS = 5 * MINUTE;

/** The rates of the last minute, five minutes and hour. */
export function readRates(db: Db, now: number): Rate[] {
  // Grouped in the index over crawls, SQLite would read all requests.
  const sum = db.$client.prepare<[number, number], Omit<Rate, 'ms'>>(
    `select coalesce(sum(n), 0) as requests, coalesce(sum(failed), 0) as failed,
       coalesce(sum(notFound), 0) as notFound, coalesce(sum(bytes), 0) as bytes,
       coalesce(sum(1.0 * crawls.items * n / max(crawls.requests, n)), 0) as items
     from (select crawl_id, count(*) as n, sum(${HAS_FAILED}) as failed,
             sum(${IS_NOT_FOUND}) as notFound,             sum(response_bytes) as bytes
           from requests not indexed where id >= ? and sent_at > ? group by crawl_id) sent
     left join crawls on crawls.id = crawl_id`,
  );
  return PERIODS.map((ms) => {
    const since = now - ms;
    const rate = sum.get(findFirstIdSince(db, since - MAX_DISORDER_MS), since)!;
    return { ms, ...rate, items: Math.round(rate.items) };
  });
}

/** The condition of requests after a time. */
const isSentAfter = (db: Db, at: number) =>
  and(gte(requests.id, findFirstIdSince(db, at - MAX_DISORDER_MS)), gt(requests.sentAt, at));

/** The number of recorded requests after a time: of all crawls, or of one with all its descendants. */
export const countRequestsSince = (db: Db, at: number, root?: number): number =>
  countRows(db, requests, and(isSentAfter(db, at), root === undefined ? undefined : isOfTree(root)));

/** The condition of requests of a crawl and its descendants. It has no index: a lower bound of the ids limits the search. */
const isOfTree = (root: number) =>
  sql`(${requests.crawlId} = ${root} or exists (select 1 from _crawl_tree where root_id = ${root} and descendant_id = ${requests.crawlId}))`;

/** The id of the first request at or after a time, by bisection: there is no index over times, and ids grow with them. */
export function findFirstIdSince(db: Db, since: number): number {
  const last = db.select({ id: requests.id }).from(requests).orderBy(desc(requests.id)).limit(1).get();
  const from = db
    .select({ at: requests.sentAt })
    .from(requests)
    .where(gte(requests.id, sql.placeholder('id')))
    .orderBy(requests.id)
    .limit(1)
    .prepare();
  let low = 1;
  let high = (last?.id ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (from.get({ id: middle })!.at < since) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The cost and the result of the requests of one group. */
export interface RequestUsage {
  /** A root crawl's id, a kind, a priority, a day or a job; null for requests without a job. */
  readonly key: string | number | null;
  readonly crawls: number;
  readonly requests: number;
  /**
   * The maximum number of requests that killed workers sent without a record. Null by day or since a time: their time is
   * unknown.
   */
  readonly unknownRequests: number | null;
  /** Of the recorded requests, those without a response or with an error status, but for `notFound`. */
  readonly failed: number;
  /** Of the recorded requests, those that the service answered with 404. */
  readonly notFound: number;
  readonly bytes: number;
  /**
   * New rows. The store counts them by crawl: if only a part of a crawl's requests is counted, its rows are divided
   * evenly.
   */
  readonly newItems: number;
  /** Changed users and tweets, ended edges and deleted tweets; divided in the same way. */
  readonly changes: number;
}

/** Child crawls are counted with their root crawl. */
const ROOT = 'coalesce(crawls.root_id, crawls.id)';

const KEYS: Readonly<Record<Exclude<Attribution, 'day'>, string>> = {
  crawl: ROOT,
  kind: 'crawls.kind',
  priority: 'crawls.priority',
  job: '(select job_name from runs where runs.id = crawls.run_id)',
};

/** The maximum number of unrecorded requests of a crawl, including a cancelled one. */
const UNKNOWN = `sum(crawls.unknown_requests + case when crawls.finished_at is null then 0 else crawls.in_flight_requests end)`;

/** The maximum number of requests of all crawls that killed workers sent without a record. */
export const countUnknownRequests = ({ $client }: Db): number =>
  $client
    .prepare<[], number>(
      `select (select coalesce(sum(unknown_requests), 0) from crawls where unknown_requests > 0)
        + (select coalesce(sum(in_flight_requests), 0) from crawls where in_flight_requests > 0 and finished_at is not null)`,
    )
    .pluck()
    .get()!;

/** The usage by group, highest first, or by day, latest first. */
export function readUsage(db: Db, by: Attribution, since?: number): RequestUsage[] {
  const { $client } = db;
  const within = since === undefined ? '' : 'where requests.id >= @first and requests.sent_at >= @since';
  const bound = since === undefined ? {} : { since, first: findFirstIdSince(db, since - MAX_DISORDER_MS) };
  const day = by === 'day' ? `, requests.sent_at / ${DAY} as day` : '';
  // Grouped by crawl first, in index order: there are far fewer crawls than requests.
  const sent = `select crawl_id${day}, count(*) as n, sum(response_bytes) as bytes,
      sum(${HAS_FAILED}) as failed, sum(${IS_NOT_FOUND}) as notFound
    from requests ${within} group by crawl_id${by === 'day' ? ', day' : ''}`;
  const isDated = by === 'day' || since !== undefined;
  // Crawls of workers that were killed before they recorded a request.
  const unrecorded = `select id, 0, 0, 0, 0 from crawls
    where (unknown_requests > 0 or (in_flight_requests > 0 and finished_at is not null))
      and not exists (select 1 from requests where crawl_id = crawls.id)`;
  const key = by === 'day' ? "date(day * 86400, 'unixepoch')" : KEYS[by];
  return $client
    .prepare<[object], RequestUsage>(
      `select ${key} as key, count(distinct sent.crawl_id) as crawls, sum(n) as requests,
         ${isDated ? 'null' : UNKNOWN} as unknownRequests, sum(failed) as failed, sum(notFound) as notFound,
         sum(bytes) as bytes,
         ${shareOf('new_items')} as newItems, ${shareOf('changes')} as changes
       from (${sent} ${isDated ? '' : `union all ${unrecorded}`}) sent left join crawls on crawls.id = sent.crawl_id
       group by 1 order by ${by === 'day' ? '1 desc' : 'requests desc, 1'}`,
    )
    .all(bound);
}

/** The share of a crawl's counter that falls to the counted requests. */
const shareOf = (column: string): string =>
  `cast(round(coalesce(sum(1.0 * crawls.${column} * n / max(crawls.requests, n)), 0)) as integer)`;

/** The growth is measured over at most this many days. */
const WINDOW_DAYS = 7;
/** The number of requests that are sampled for the size of responses. */
const SAMPLES = 500;

/**
 * Estimates the growth of a store in bytes per day, bodies and rows together; undefined if its first request is younger than
 * a day. The bytes in use are split in proportion to the response bytes of the latest days. Bodies that are removed
 * after `TRAWL_RAW_DAYS` are not subtracted. Reads some hundred rows, whatever the size.
 */
export function estimateGrowth(db: Db, now: number): number | undefined {
  const { $client } = db;
  const ends = $client
    .prepare<[], { id: number; at: number }>(
      `select id, sent_at as at from (select id, sent_at from requests order by id limit 1)
        union all select id, sent_at from (select id, sent_at from requests order by id desc limit 1)`,
    )
    .all();
  const [first, last] = ends;
  if (!first || !last || now - first.at < DAY) return undefined;
  const days = Math.min(WINDOW_DAYS, (now - first.at) / DAY);
  const from = findFirstIdSince(db, now - days * DAY);
  const sizeOf = $client
    .prepare<[number], number>('select response_bytes from requests where id >= ? order by id limit 1')
    .pluck();

  /** Estimates the bytes of the responses with these request ids. */
  function bytesBetween(low: number, high: number): number {
    const n = high - low + 1;
    if (n <= 0) return 0;
    const samples = Math.min(n, SAMPLES);
    let bytes = 0;
    for (let i = 0; i < samples; i++) bytes += sizeOf.get(low + Math.floor((i * n) / samples)) ?? 0;
    return (bytes / samples) * n;
  }

  const all = bytesBetween(first.id, last.id);
  return all === 0 ? 0 : Math.round((usedBytes(db) * bytesBetween(from, last.id)) / all / days);
}

/** The bytes of a store's file without free pages. */
function usedBytes({ $client }: Db): number {
  const value = (name: string): number => $client.pragma(name, { simple: true }) as number;
  return (value('page_count') - value('freelist_count')) * value('page_size');
}
