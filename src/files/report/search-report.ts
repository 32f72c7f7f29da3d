import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { formatCount, pluralize, truncate } from '#base/text.ts';
import { withIsoTimes, toIso } from '#base/units.ts';
import { readCollectionSummary, type CollectionSummary } from '#files/export/collection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { readDeletionEvidence } from '#files/export/table-query.ts';
import { prepareSearchTargets } from '#store/crawls/search-targets.ts';
import { completePage } from './complete-page.ts';
import { prepareHiddenData } from './hidden.ts';
import {
  type ReportedSearch,
  type SearchedTime,
  readSearch,
  selectSearchCrawls,
  readSearchedTime,
} from './read-search.ts';
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
