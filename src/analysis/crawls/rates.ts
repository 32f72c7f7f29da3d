import { and, count, desc, eq, gt, gte, sql, type SQLWrapper } from 'drizzle-orm';
import { MINUTE } from '../../clock.ts';
import { crawls, requests } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { countRows } from '../count-rows.ts';

/** The throughput of a period up to now. */
export interface Rate {
  readonly ms: number;
  readonly requests: number;
  /** Of these, those without a response or with an error status. */
  readonly failed: number;
  readonly bytes: number;
  /**
   * Items of their pages. The store counts items by crawl: for a crawl that began before the period, its average per
   * request is used; otherwise the number is exact.
   */
  readonly items: number;
}

const PERIODS = [MINUTE, 5 * MINUTE, 60 * MINUTE] as const;

/** A request is stored with its page, so rows are out of order by at most this time. */
export const MAX_DISORDER_MS = 5 * MINUTE;

/** The rates of the last minute, five minutes and hour. */
export function readRates(db: Db, now: number): Rate[] {
  return PERIODS.map((ms) => {
    const sent = db
      .select({
        crawlId: requests.crawlId,
        n: count().as('n'),
        failed: sql<number>`count(*) filter (where ${requests.status} is null or ${requests.status} >= 400)`.as(
          'failed',
        ),
        bytes: sql<number>`sum(${requests.responseBytes})`.as('bytes'),
      })
      .from(requests)
      .where(isSentAfter(db, now - ms))
      .groupBy(requests.crawlId)
      .as('sent');
    const items = sql`1.0 * ${crawls.items} * ${sent.n} / max(${crawls.requests}, ${sent.n})`;
    const total = (figure: SQLWrapper) => sql<number>`coalesce(sum(${figure}), 0)`;
    const sums = db
      .select({ requests: total(sent.n), failed: total(sent.failed), bytes: total(sent.bytes), items: total(items) })
      .from(sent)
      .leftJoin(crawls, eq(crawls.id, sent.crawlId))
      .get()!;
    return { ms, ...sums, items: Math.round(sums.items) };
  });
}

/** The condition of requests after a time. */
const isSentAfter = (db: Db, at: number) =>
  and(gte(requests.id, findFirstIdSince(db, at - MAX_DISORDER_MS)), gt(requests.sentAt, at));

/** The number of recorded requests after a time. */
export const countRequestsSince = (db: Db, at: number): number => countRows(db, requests, isSentAfter(db, at));

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
