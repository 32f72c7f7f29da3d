import { compileUpsert, takeObserved } from '#store/merge/merge-rules.ts';
import type { SearchedWindow } from '#store/schema/commit-messages.ts';
import type { SearchHit } from '#store/schema/query-results.ts';
import { gaps, searchWindows } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileInsert } from '#store/sqlite/statement.ts';

/** A time range that a crawl searched, in milliseconds UTC. */
export interface SearchedWindowRow {
  readonly from: number;
  readonly to: number;
  readonly crawlId: number;
}

const SATURATED = 'saturated';
/** SQL: a gap is a saturated day of a query. */
const IS_SATURATED = `kind = 'search' and target = ? and reason = '${SATURATED}'`;

/** Records searched ranges in the transaction of the page. */
export function prepareSearchWindows(db: Db) {
  const upsert = compileUpsert(db, searchWindows, ['query', 'fromAt', 'toAt'], {
    searchedAt: takeObserved,
    crawlId: takeObserved,
  });
  /** A new search of a range replaces its saturated days. */
  const deleteSaturated = db.$client.prepare<[query: string, from: number, to: number]>(
    `delete from gaps where ${IS_SATURATED} and older_at >= ? and newer_at <= ?`,
  );
  const insertGap = compileInsert(db, gaps);

  return {
    addWindow({ query, from, to, saturated }: SearchedWindow, crawlId: number, at: number): void {
      if (to <= from) return;
      upsert.run({ query, fromAt: from, toAt: to, searchedAt: at, crawlId });
      deleteSaturated.run(query, from, to);
      if (!saturated) return;
      const bounds = { newerAt: to, newerRestId: saturated.newerId, olderAt: from, olderRestId: saturated.olderId };
      insertGap.run({ ...bounds, kind: 'search', target: query, reason: SATURATED, crawlId, updatedAt: at });
    },
  };
}

export type SearchReads = ReturnType<typeof prepareSearchReads>;

export function prepareSearchReads({ $client }: Db) {
  const prepare = <Row>(sql: string) => $client.prepare<[query: string, since: number], Row>(sql);
  const hits = prepare<SearchHit>(
    `select t.rest_id as id, t.created_at as at from searches s join search_hits h on h.search_id = s.id
     join tweets t on t.id = h.tweet_id where s.query = ? and h.last_seen_at >= ?`,
  );
  const prepareWindows = (join = '') =>
    prepare<SearchedWindowRow>(
      `select distinct from_at as "from", to_at as "to", w.crawl_id as crawlId from _search_windows w ${join}
       where w.query = ? and searched_at >= ? order by from_at`,
    );
  const windows = prepareWindows();
  const rejected = prepareWindows('join rejects r on r.crawl_id = w.crawl_id and r.resolved_at is null');
  const saturated = prepare<SearchedWindowRow>(
    `select older_at as "from", newer_at as "to", crawl_id as crawlId from gaps
     where ${IS_SATURATED} and updated_at >= ? order by older_at`,
  );
  return {
    searchHits: (rawQuery: string, since: number): SearchHit[] => hits.all(rawQuery, since),
    /** The searched ranges of a query, since a time if one is given, oldest first. */
    searchedWindows: (query: string, since = -Infinity): SearchedWindowRow[] => windows.all(query, since),
    /** The days among these with more tweets than a page shows. */
    saturatedDays: (query: string, since = -Infinity): SearchedWindowRow[] => saturated.all(query, since),
    /** The ranges among these with rejected items. */
    windowsWithRejects: (query: string, since = -Infinity): SearchedWindowRow[] => rejected.all(query, since),
  };
}
