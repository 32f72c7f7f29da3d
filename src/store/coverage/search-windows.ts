import { and, asc, eq, gte, isNull, sql } from 'drizzle-orm';
import { compileUpsert, takeObserved } from '../merge/merge-rules.ts';
import type { SearchedWindow } from '../schema/commit-messages.ts';
import type { SearchHit } from '../schema/query-results.ts';
import { gaps, rejects, searchWindows, searches, searchHits, tweets } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound } from '../sqlite/statement.ts';

/** A time range that a crawl searched, in milliseconds UTC. */
export interface SearchedWindowRow {
  readonly from: number;
  readonly to: number;
  readonly crawlId: number;
}

const SATURATED = 'saturated';
/** A gap is a saturated day of a query. Bind `query`. */
const isSaturated = and(eq(gaps.kind, 'search'), eq(gaps.target, bound.query), eq(gaps.reason, SATURATED));

/** Records searched ranges in the transaction of the page. */
export function prepareSearchWindows(db: Db) {
  const upsert = compileUpsert(db, searchWindows, ['query', 'fromAt', 'toAt'], {
    searchedAt: takeObserved,
    crawlId: takeObserved,
  });
  /** A new search of a range replaces its saturated days. */
  const isWithin = sql`${gaps.olderAt} >= ${bound.from} and ${gaps.newerAt} <= ${bound.to}`;
  const deleteSaturated = db.delete(gaps).where(and(isSaturated, isWithin)).prepare();

  return {
    addWindow({ query, from, to, saturated }: SearchedWindow, crawlId: number, at: number): void {
      if (to <= from) return;
      upsert.run({ query, fromAt: from, toAt: to, searchedAt: at, crawlId });
      deleteSaturated.run({ query, from, to });
      if (!saturated) return;
      const bounds = { newerAt: to, newerRestId: saturated.newerId, olderAt: from, olderRestId: saturated.olderId };
      db.insert(gaps)
        .values({ ...bounds, kind: 'search', target: query, reason: SATURATED, crawlId, updatedAt: at })
        .run();
    },
  };
}

export type SearchReads = ReturnType<typeof prepareSearchReads>;

export function prepareSearchReads(db: Db) {
  const hits = db
    .select({ id: tweets.restId, at: tweets.createdAt })
    .from(searches)
    .innerJoin(searchHits, eq(searchHits.searchId, searches.id))
    .innerJoin(tweets, eq(tweets.id, searchHits.tweetId))
    .where(and(eq(searches.query, bound.rawQuery), gte(searchHits.lastSeenAt, bound.since)))
    .prepare();
  const isSearched = and(eq(searchWindows.query, bound.query), gte(searchWindows.searchedAt, bound.since));
  const range = { from: searchWindows.fromAt, to: searchWindows.toAt, crawlId: searchWindows.crawlId };
  const windows = db.select(range).from(searchWindows).where(isSearched).orderBy(asc(searchWindows.fromAt)).prepare();
  const saturated = db
    .select({ from: sql<number>`${gaps.olderAt}`, to: gaps.newerAt, crawlId: gaps.crawlId })
    .from(gaps)
    .where(and(isSaturated, gte(gaps.updatedAt, bound.since)))
    .orderBy(asc(gaps.olderAt))
    .prepare();
  const isRejectOfWindow = and(eq(rejects.crawlId, searchWindows.crawlId), isNull(rejects.resolvedAt));
  const rejected = db
    .selectDistinct(range)
    .from(searchWindows)
    .innerJoin(rejects, isRejectOfWindow)
    .where(isSearched)
    .orderBy(asc(searchWindows.fromAt))
    .prepare();
  return {
    searchHits: (rawQuery: string, since: number): SearchHit[] => hits.all({ rawQuery, since }),
    /** The searched ranges of a query, since a time if one is given, oldest first. */
    searchedWindows: (query: string, since = -Infinity): SearchedWindowRow[] => windows.all({ query, since }),
    /** The days among these with more tweets than a page shows. */
    saturatedDays: (query: string, since = -Infinity): SearchedWindowRow[] => saturated.all({ query, since }),
    /** The ranges among these with rejected items. */
    windowsWithRejects: (query: string, since = -Infinity): SearchedWindowRow[] => rejected.all({ query, since }),
  };
}
