import { and, asc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { SearchedWindow } from '../schema/messages.ts';
import type { SearchHit } from '../schema/query-results.ts';
import { gaps, rejects, searched, searches, searchHits, tweets } from '../schema/tables.ts';
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
    .insert(searched)
    .values({
      query: sql.placeholder('query'),
      fromAt: sql.placeholder('from'),
      toAt: sql.placeholder('to'),
      seenAt: sql.placeholder('at'),
      crawlId: sql.placeholder('crawlId'),
    })
    .onConflictDoUpdate({
      target: [searched.query, searched.fromAt, searched.toAt],
      set: { seenAt: sql`excluded.seen_at`, crawlId: sql`excluded.crawl_id` },
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
      const bounds = { newerAt: to, newerId: saturated.newerId, olderAt: from, olderId: saturated.olderId };
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
    .where(and(eq(searches.query, sql.placeholder('rawQuery')), gte(searchHits.lastSeen, sql.placeholder('since'))))
    .prepare();
  const isSearched = and(eq(searched.query, sql.placeholder('query')), gte(searched.seenAt, sql.placeholder('since')));
  const windows = db
    .select({ from: searched.fromAt, to: searched.toAt, crawlId: searched.crawlId })
    .from(searched)
    .where(isSearched)
    .orderBy(asc(searched.fromAt))
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
    .selectDistinct({ from: searched.fromAt, to: searched.toAt, crawlId: searched.crawlId })
    .from(searched)
    .innerJoin(rejects, and(eq(rejects.crawlId, searched.crawlId), isNull(rejects.resolvedAt)))
    .where(isSearched)
    .orderBy(asc(searched.fromAt))
    .prepare();
  return {
    searchHits: (rawQuery: string, since: number): SearchHit[] => hits.all({ rawQuery, since }),
    searchedWindows: (query: string, since = -Infinity): SearchedWindowRow[] => windows.all({ query, since }),
    saturatedDays: (query: string, since = -Infinity): SearchedWindowRow[] => saturated.all({ query, since }),
    windowsWithRejects: (query: string, since = -Infinity): SearchedWindowRow[] => rejected.all({ query, since }),
  };
}
