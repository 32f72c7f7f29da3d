import type { CoverageSegment, Segment } from '../../analysis/coverage/coverage-model.ts';
import { wordSegments } from '../../analysis/coverage/list-answers.ts';
import type { CrawlSelection } from '../../analysis/history/crawl-selection.ts';
import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import { isoTime } from '../../analysis/sql/iso-time.ts';
import { formatCount, pluralize, truncate } from '../../base/text.ts';
import { mergeRanges, subtractRanges, type TimeRange } from '../../base/time-ranges.ts';
import { withIsoTimes, toIso } from '../../base/units.ts';
import { prepareSearchReads } from '../../store/coverage/search-windows.ts';
import { prepareSearchTargets } from '../../store/crawls/search-targets.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { readCollectionSummary, type CollectionSummary } from '../export/collection.ts';
import type { Snapshot } from '../export/snapshot.ts';
import { readDeletionEvidence } from '../export/table-query.ts';
import { completePage } from './complete-page.ts';
import { prepareHiddenData } from './hidden.ts';
import {
  type ReadOptions,
  type Report,
  type Block,
  describeDays,
  type PageContent,
  type Section,
  type ReportOrigin,
} from './report.ts';
import { listAnswers, prepareQueries, runOverTime, type AnsweredQuery } from './run-queries.ts';
import { describeSegments } from './sections/coverage-section.ts';
import { describePosts, describeEvidenceAge, presentChart, presentTable } from './sections/query-blocks.ts';

/** Reads the report of a search. Returns undefined if it was never crawled. */
export function readSearchReport({ db, takenAt }: Snapshot, typed: string, options: ReadOptions): Report | undefined {
  const query = prepareSearchTargets(db)(typed);
  if (query === undefined) return undefined;
  const search = readSearch(db, query);
  const hidden = prepareHiddenData(db, options);
  const run = prepareQueries(db, options.catalogue, takenAt, options.olderThan);
  const answers = {
    ...runOverTime(run, ['search-hits-per-period'], { search: query }),
    'search-top-tweets': hidden.leaveOut(run('search-top-tweets', { search: query })),
    'search-top-authors': hidden.leaveOut(run('search-top-authors', { search: query })),
  };
  const deletions = readDeletionEvidence({ db, takenAt }, { olderThan: options.olderThan });
  const searched = readSearchedTime(db, query) ?? null;
  const collection = readCollectionSummary(db, selectSearchCrawls(query));
  const data: SearchReportData = {
    search,
    searched,
    answers,
    deletions,
    collection,
  };
  return {
    data: { search, searched: searched && withIsoTimes(searched), collection, answers: listAnswers(answers) },
    deletions,
    queries: Object.values(answers),
    excluded: options.includeDeleted
      ? {}
      : { deletedTweets: search.deletedTweets, tweetsOfUnavailableAccounts: search.tweetsOfUnavailableAccounts },
    describe: (origin) => describeSearch(data, origin),
  };
}

type SearchQuery = 'search-hits-per-period' | 'search-top-tweets' | 'search-top-authors';

/** The data behind the report of a search. */
interface SearchReportData {
  readonly search: ReportedSearch;
  readonly searched: SearchedTime | null;
  readonly collection: CollectionSummary;
  readonly deletions: EvidenceAge;
  readonly answers: Readonly<Record<SearchQuery, AnsweredQuery>>;
}

/** Why no search is complete (specification, Endpoints, row 8). */
const BY_RELEVANCE =
  'The service sorts a search by relevance and shows one page of it. More tweets may match than it shows, and nothing says how many: no search is evidence of completeness.';

/** Returns the page of the report of a search. */
function describeSearch(data: SearchReportData, origin: ReportOrigin): PageContent {
  const { search, collection, answers } = data;
  const { query } = search;
  return completePage(
    {
      kind: 'Search report',
      name: query,
      titleName: `Search ${query}`,
      lines: [],
      sections: [
        { id: 'overview', title: 'Overview', blocks: describeOverview(data) },
        describeCompleteness(data),
        {
          id: 'tweets',
          title: 'Tweets over time',
          blocks: presentChart(answers['search-hits-per-period'], {
            title: 'Tweets that the search found',
            caption:
              'By the time when they were written (UTC). Gaps are times that were not searched; hatched periods were searched in part.',
            none: 'The search found nothing.',
            isLimitStated: true,
          }),
        },
        {
          id: 'top',
          title: 'Most liked tweets',
          blocks: describePosts(answers['search-top-tweets'].answer, {
            label: 'Tweets by likes, most first',
            none: 'No found tweet has a known number of likes.',
          }),
        },
        {
          id: 'authors',
          title: 'Authors',
          blocks: presentTable(answers['search-top-authors'], {
            title: 'Authors with the most found tweets',
            caption:
              'Numbers of found tweets. They depend on what the service shows of each day, so small differences mean nothing.',
            columns: {
              author: 'Author',
              name: 'Name',
              tweets: 'Tweets',
              engagement: 'Engagement',
              followers: 'Followers',
            },
            none: 'The author of no found tweet is known.',
            isLimitStated: true,
          }),
        },
      ],
      cited: {
        title: `Tweets that the search ${truncate(query, 200)} found on a microblog`,
        key: query.slice(0, 40),
        queries: `search: ${query}`,
      },
    },
    collection,
    origin,
  );
}

function describeOverview({ search, collection, deletions }: SearchReportData): Block[] {
  const { tweets, authors, windows, saturatedDays, oldestTweetAt, newestTweetAt, deletedTweets, prunedAt } = search;
  return [
    {
      type: 'tiles',
      tiles: [
        { label: 'Tweets', value: formatCount(tweets), detail: 'found, each counted once' },
        { label: 'Authors', value: formatCount(authors), detail: 'of these tweets' },
        {
          label: 'Windows',
          value: formatCount(windows),
          detail:
            windows === 0
              ? 'searched without dates'
              : `searched; ${pluralize(saturatedDays, 'day')} with more than a page`,
        },
        { label: 'Requests', value: formatCount(collection.requests), detail: `for ${pluralize(tweets, 'tweet')}` },
      ],
    },
    ...(oldestTweetAt === null || newestTweetAt === null
      ? prunedAt !== null
        ? []
        : [
            {
              type: 'absence',
              absence: 'no results',
              text: 'The search was crawled, and the service showed no tweet.',
            } as const,
          ]
      : [
          {
            type: 'paragraph',
            text: [
              'They were written ',
              ...describeDays(oldestTweetAt, newestTweetAt),
              '.',
              deletedTweets === 0
                ? ''
                : ` ${pluralize(deletedTweets, 'of them has', 'of them have')} been deleted since.`,
            ],
          } as const,
          describeEvidenceAge(deletions),
        ]),
  ];
}

const describePruned = ({ prunedItems, prunedAt }: SearchReportData['search']): Block[] =>
  prunedAt === null
    ? []
    : [
        {
          type: 'absence',
          absence: 'pruned',
          text: [
            `${pluralize(prunedItems, 'tweet')} that it found ${prunedItems === 1 ? 'was' : 'were'} removed from the database, the last on `,
            { day: prunedAt },
            '.',
          ],
        },
      ];

function describeCompleteness({ search, searched }: SearchReportData): Section {
  const known: Block[] = searched
    ? [
        {
          type: 'paragraph',
          text: ['Windows of days were searched ', ...describeDays(toIso(searched.from), toIso(searched.to - 1)), '.'],
        },
        describeSegments('Searched time', searched.segments),
      ]
    : [
        {
          type: 'absence',
          absence: 'not collected',
          text: 'The search was requested without dates, so that no time was searched as a whole.',
          command: `trawl backfill search '${search.query.replaceAll("'", `'\\''`)}'`,
        },
      ];
  return {
    id: 'completeness',
    title: 'How complete it is',
    blocks: [{ type: 'absence', absence: 'not available', text: BY_RELEVANCE }, ...known, ...describePruned(search)],
  };
}

/** The search of a report, as the store knows it. Times are ISO 8601 in UTC. */
interface ReportedSearch {
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

/** The searches of a query and of its windows, with the parameter `:query`. */
const SEARCHES = `select id from searches where substr(query, 1, length(:query)) = :query collate nocase
    and (length(query) = length(:query) or substr(query, length(:query) + 1) glob ' since:????-??-?? until:????-??-??')`;

/** Reads the search of a report. */
const readSearch = ({ $client }: Db, query: string): ReportedSearch =>
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
const selectSearchCrawls = (query: string): CrawlSelection => ({
  sql: "select id from crawls where kind = 'search' and target = :query",
  parameters: { query },
});

/** The time that a search covered. Searches are sorted by relevance, so that no part of it is complete. */
interface SearchedTime extends TimeRange {
  readonly segments: readonly CoverageSegment[];
}

/** Reads the searched windows of a query as segments. Returns undefined if it was never searched by windows. */
function readSearchedTime(db: Db, query: string): SearchedTime | undefined {
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
