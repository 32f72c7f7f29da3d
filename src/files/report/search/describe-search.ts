import type { EvidenceAge } from '../../../analysis/recheck/evidence-age.ts';
import { formatCount, pluralize, truncate } from '../../../base/text.ts';
import { toIso } from '../../../base/units.ts';
import type { CollectionSummary } from '../../export/collection.ts';
import { completePage } from '../complete-page.ts';
import { type Block, describeDays, type PageContent, type Section } from '../report-content.ts';
import type { ReportOrigin } from '../report.ts';
import type { AnsweredQuery } from '../run-queries.ts';
import { describeSegments } from '../sections/coverage-section.ts';
import { describePosts } from '../sections/posts.ts';
import { describeEvidenceAge, presentChart, presentTable } from '../sections/query-blocks.ts';
import type { ReportedSearch, SearchedTime } from './read-search.ts';

type SearchQuery = 'search-hits-per-period' | 'search-top-tweets' | 'search-top-authors';

/** The data behind the report of a search. */
export interface SearchReportData {
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
export function describeSearch(data: SearchReportData, origin: ReportOrigin): PageContent {
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
