import type { CoverageSegment, Segment } from '#analysis/coverage/coverage-model.ts';
import { wordSegments } from '#analysis/coverage/list-answers.ts';
import type { CrawlSelection } from '#analysis/history/crawl-selection.ts';
import { isoTime } from '#analysis/sql/iso-time.ts';
import { mergeRanges, subtractRanges, type TimeRange } from '#base/time-ranges.ts';
import { prepareSearchReads } from '#store/coverage/search-windows.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The search of a report, as the store knows it. Times are ISO 8601 in UTC. */
export interface ReportedSearch {
  /** The search string, without the dates of its windows. */
  readonly query: string;
  readonly firstFoundAt: string | null;
  readonly lastFoundAt: string | null;
  /** The tweets that it found, and their authors. */
  readonly tweets: number;
  readonly authors: number;
  readonly deletedTweets: number;
  readonly tweetsOfUnavailableAccounts: number;
  readonly oldestTweetAt: string | null;
  readonly newestTweetAt: string | null;
  /** The searched windows, and the days with more tweets than a page shows. */
  readonly windows: number;
  readonly saturatedDays: number;
  /** The found tweets that were removed from the store, and when the last of them was. */
  readonly prunedItems: number;
  readonly prunedAt: string | null;
}

/** The time that a search covered. Searches are sorted by relevance, so that no part of it is complete. */
export interface SearchedTime extends TimeRange {
  readonly segments: readonly CoverageSegment[];
}

/** The searches of a query and of its windows, with the parameter `:query`. */
const SEARCHES = `select id from searches where substr(query, 1, length(:query)) = :query collate nocase
    and (length(query) = length(:query) or substr(query, length(:query) + 1) glob ' since:????-??-?? until:????-??-??')`;

/** Reads the search of a report. */
export const readSearch = ({ $client }: Db, query: string): ReportedSearch =>
  $client
    .prepare<[object], ReportedSearch>(
      `with found as (
         select tweet_id, min(first_seen_at) as first_found_at, max(last_seen_at) as last_found_at
         from search_hits where search_id in (${SEARCHES}) group by tweet_id
       ), gone as materialized (select u.id from v_unavailable_accounts v join users u on u.rest_id = v.rest_id)
       select :query as query, ${isoTime('min(f.first_found_at)')} as firstFoundAt, ${isoTime('max(f.last_found_at)')} as lastFoundAt,
         count(*) as tweets, count(distinct t.author_id) as authors,
         count(*) filter (where d.confirmed_at is not null and d.suspected_at > t.last_seen_at) as deletedTweets,
         count(*) filter (where t.author_id in (select id from gone)) as tweetsOfUnavailableAccounts,
         ${isoTime('min(t.created_at)')} as oldestTweetAt, ${isoTime('max(t.created_at)')} as newestTweetAt,
         (select count(*) from _search_windows where query = :query) as windows,
         (select count(*) from gaps where kind = 'search' and target = :query and reason = 'saturated') as saturatedDays,
         coalesce((select items from pruned_ranges where kind = 'search' and target = :query), 0) as prunedItems,
         (select ${isoTime('pruned_at')} from pruned_ranges where kind = 'search' and target = :query) as prunedAt
       from found f join tweets t on t.id = f.tweet_id left join _deletion_evidence d on d.tweet_id = t.id`,
    )
    .get({ query })!;

/** The crawls of a search and of its windows. */
export const selectSearchCrawls = (query: string): CrawlSelection => ({
  sql: "select id from crawls where kind = 'search' and target = :query",
  parameters: { query },
});

/** Reads the searched windows of a query as segments. Returns undefined if it was never searched by windows. */
export function readSearchedTime(db: Db, query: string): SearchedTime | undefined {
  const read = prepareSearchReads(db);
  const searched = mergeRanges(read.searchedWindows(query));
  const [first, last] = [searched[0], searched.at(-1)];
  if (!first || !last) return undefined;
  const whole = { from: first.from, to: last.to };
  const saturated = mergeRanges(read.saturatedDays(query));
  const segments = [
    ...subtractRanges(whole, searched).map((range) => toSegment(range, 'gap', 'not_collected')),
    ...saturated.map((range) => toSegment(range, 'gap', 'saturated')),
    ...searched
      .flatMap((range) => subtractRanges(range, saturated))
      .map((range) => toSegment(range, 'unknown', 'last_page')),
  ].toSorted((a, b) => a.from - b.from);
  return { ...whole, segments: wordSegments(segments, { axis: whole, stored: 0 }) };
}

const toSegment = (range: TimeRange, state: Segment['state'], reason: string): Segment => ({
  from: range.from,
  to: range.to,
  state,
  reason,
  crawlId: null,
  pages: 0,
  items: 0,
  searched: [],
});
