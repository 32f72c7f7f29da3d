import { count, sql } from 'drizzle-orm';
import type { CrawlCounts } from '#store/schema/query-results.ts';
import { crawls } from '#store/schema/tables.ts';
import { CRAWL_STATES } from '#store/schema/tables/crawl-states.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Counts all crawls. Both queries read indexes only: a store has millions of crawls, and few of them are paused. */
export function readCrawlCounts(db: Db): CrawlCounts {
  const { state, reason } = crawls;
  // A literal, since SQLite uses a partial index only if it knows the value.
  const isPaused = sql`${state} = 'paused'`;
  const rows = db.select({ state, count: count() }).from(crawls).groupBy(state).all();
  const counts = new Map(rows.map((row) => [row.state, row.count]));
  return {
    byState: CRAWL_STATES.map((one) => ({ state: one, count: counts.get(one) ?? 0 })),
    pausedByReason: db.select({ reason, count: count() }).from(crawls).where(isPaused).groupBy(reason).all(),
  };
}
