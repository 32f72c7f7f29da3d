import { and, count, desc, eq, gt, gte, sql } from 'drizzle-orm';
import { MINUTE } from '../../clock.ts';
import { crawls, requests } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';

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
    const since = now - ms;
    const within = and(gte(requests.id, findFirstIdSince(db, since - MAX_DISORDER_MS)), gt(requests.sentAt, since));
    const sums = db
      .select({
        requests: count(),
        failed: sql<number>`count(*) filter (where ${requests.status} is null or ${requests.status} >= 400)`,
        bytes: sql<number>`coalesce(sum(${requests.responseBytes}), 0)`,
      })
      .from(requests)
      .where(within)
      .get()!;
    const sent = db
      .select({ crawlId: requests.crawlId, n: count().as('n') })
      .from(requests)
      .where(within)
      .groupBy(requests.crawlId)
      .as('sent');
    const { items } = db
      .select({
        items: sql<number>`coalesce(sum(1.0 * ${crawls.items} * ${sent.n} / max(${crawls.requests}, ${sent.n})), 0)`,
      })
      .from(sent)
      .innerJoin(crawls, eq(crawls.id, sent.crawlId))
      .get()!;
    return { ms, ...sums, items: Math.round(items) };
  });
}

/** The number of recorded requests after a time. */
export const countRequestsSince = (db: Db, at: number): number =>
  db
    .select({ n: count() })
    .from(requests)
    .where(and(gte(requests.id, findFirstIdSince(db, at - MAX_DISORDER_MS)), gt(requests.sentAt, at)))
    .get()!.n;

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
