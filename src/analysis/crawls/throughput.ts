import { and, desc, gt, gte, sql } from 'drizzle-orm';
import { MINUTE, SECOND } from '../../base/clock.ts';
import { requests } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { countRows } from '../count-rows.ts';
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
