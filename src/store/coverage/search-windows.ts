import { and, asc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { SearchedWindow } from '../schema/messages.ts';
import type { SearchHit } from '../schema/query-results.ts';
import { gaps, rejects, searchWindows, searches, searchHits, tweets } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

/** A time range that a crawl searched, in milliseconds UTC. */
export interface SearchedWindowRow {
  readonly from: number;
  readonly to: number;
  readonly crawlId: number;
}

const SATURATED = 'saturated';

/** Records searched ranges in the transaction of the page. */
export function prepareSearchWindows(db: Db) {
  const insert = db
    .insert(searchWindows)
    .values({
      query: sql.placeholder('query'),
      fromAt: sql.placeholder('from'),
      toAt: sql.placeholder('to'),
      searchedAt: sql.placeholder('at'),
      crawlId: sql.placeholder('crawlId'),
    })
    .onConflictDoUpdate({
      target: [searchWindows.query, searchWindows.fromAt, searchWindows.toAt],
      set: { searchedAt: sql`excluded.searched_at`, crawlId: sql`excluded.crawl_id` },
    })
    .prepare();
  /** A new search of a range replaces its saturated days. */
  const deleteSaturated = db
    .delete(gaps)
    .where(
      and(
        eq(gaps.kind, 'search'),
        eq(gaps.target, sql.placeholder('query')),
        eq(gaps.reason, SATURATED),
        sql`${gaps.olderAt} >= ${sql.placeholder('from')} and ${gaps.newerAt} <= ${sql.placeholder('to')}`,
      ),
    )
    .prepare();

  return {
    addWindow({ query, from, to, saturated }: SearchedWindow, crawlId: number, at: number): void {
      if (to <= from) return;
      insert.run({ query, from, to, at, crawlId });
      deleteSaturated.run({ query, from, to });
      if (!saturated) return;
      const bounds = { newerAt: to, newerRestId: saturated.newerId, olderAt: from, olderRestId: saturated.olderId };
      db.insert(gaps)
        .values({ ...bounds, kind: 'search', target: query, reason: SATURATED, crawlId, updatedAt: at })
        .run();
    },
  };
}

export function prepareSearchReads(db: Db) {
  const hits = db
    .select({ id: tweets.restId, at: tweets.createdAt })
    .from(searches)
    .innerJoin(searchHits, eq(searchHits.searchId, searches.id))
    .innerJoin(tweets, eq(tweets.id, searchHits.tweetId))
    .where(and(eq(searches.query, sql.placeholder('rawQuery')), gte(searchHits.lastSeenAt, sql.placeholder('since'))))
    .prepare();
  const isSearched = and(
    eq(searchWindows.query, sql.placeholder('query')),
    gte(searchWindows.searchedAt, sql.placeholder('since')),
  );
  const windows = db
    .select({ from: searchWindows.fromAt, to: searchWindows.toAt, crawlId: searchWindows.crawlId })
    .from(searchWindows)
    .where(isSearched)
    .orderBy(asc(searchWindows.fromAt))
    .prepare();
  const saturated = db
    .select({ from: sql<number>`${gaps.olderAt}`, to: gaps.newerAt, crawlId: gaps.crawlId })
    .from(gaps)
    .where(
      and(
        ...[eq(gaps.kind, 'search'), eq(gaps.target, sql.placeholder('query')), eq(gaps.reason, SATURATED)],
        gte(gaps.updatedAt, sql.placeholder('since')),
      ),
    )
    .orderBy(asc(gaps.olderAt))
    .prepare();
  const rejected = db
    .selectDistinct({ from: searchWindows.fromAt, to: searchWindows.toAt, crawlId: searchWindows.crawlId })
    .from(searchWindows)
    .innerJoin(rejects, and(eq(rejects.crawlId, searchWindows.crawlId), isNull(rejects.resolvedAt)))
    .where(isSearched)
    .orderBy(asc(searchWindows.fromAt))
    .prepare();
  return {
    searchHits: (rawQuery: string, since: number): SearchHit[] => hits.all({ rawQuery, since }),
    searchedWindows: (query: string, since = -Infinity): SearchedWindowRow[] => windows.all({ query, since }),
    saturatedDays: (query: string, since = -Infinity): SearchedWindowRow[] => saturated.all({ query, since }),
    windowsWithRejects: (query: string, since = -Infinity): SearchedWindowRow[] => rejected.all({ query, since }),
  };
}
