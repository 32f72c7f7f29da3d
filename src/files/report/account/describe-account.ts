import { computeScore } from '#analysis/account-counts.ts';
import type { AccountCoverage, AccountListCoverage } from '#analysis/coverage/coverage-model.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { formatCount, pluralize, truncate } from '#base/text.ts';
import { type CollectionSummary, countCrawls } from '#files/export/collection.ts';
import { completePage } from '#files/report/complete-page.ts';
import {
  type Block,
  describeDays,
  type Inline,
  type PageContent,
  type Section,
  type Text,
  type Tile,
  type ReportOrigin,
  describeRows,
} from '#files/report/report.ts';
import type { AnsweredQuery } from '#files/report/run-queries.ts';
import { describeCoverage, summariseCoverage } from '#files/report/sections/coverage-section.ts';
import {
  describePosts,
  describeEvidenceAge,
  presentChart,
  presentTable,
  joinCharts,
} from '#files/report/sections/query-blocks.ts';
import type { ReportedAccount } from './read-account.ts';

/** Charts by the time of an observation, and by the time when a tweet was written. */
export const CHARTS_OF_OBSERVATIONS = [
  'followers-over-time',
  'followers-gained-and-lost',
  'deletions-and-edits',
] as const;
export const CHARTS_OF_TWEETS = ['tweets-per-period', 'engagement'] as const;

type ChartQuery = (typeof CHARTS_OF_OBSERVATIONS | typeof CHARTS_OF_TWEETS)[number] | 'activity-by-hour';

/** The data behind the report of an account. */
export interface AccountReportData {
  readonly account: ReportedAccount;
  readonly coverage: AccountCoverage;
  readonly collection: CollectionSummary;
  /** The saved queries that are drawn, by name. */
  readonly charts: Readonly<Record<ChartQuery, AnsweredQuery>>;
  /** The saved queries with texts; null if the texts of the account are left out. */
  readonly texts: Readonly<Record<'top-tweets' | 'profile-changes', AnsweredQuery>> | null;
  /** The saved queries of changed tweets. Texts that are left out are null. */
  readonly changes: Readonly<Record<'deleted-tweets' | 'edited-tweets', AnsweredQuery>>;
  /** The causes of lost followers, as a sentence. */
  readonly lostFollowers: string | undefined;
  readonly deletions: EvidenceAge;
}

/** The longest biography, in characters. */
const MAX_BIOGRAPHY = 400;

/** Returns the page of the report of an account. */
export function describeAccount(data: AccountReportData, origin: ReportOrigin): PageContent {
  const { account, coverage, collection } = data;
  const handle = account.screenName === null ? `id ${account.restId}` : `@${account.screenName}`;
  return completePage(
    {
      kind: 'Account report',
      name: account.name ?? handle,
      titleName: `${account.name ?? handle} (${handle})`,
      lines: listLines(account),
      sections: [
        { id: 'overview', title: 'Overview', blocks: describeOverview(data) },
        describeCoverage(coverage),
        describePeople(data),
        describeActivity(data),
        { id: 'top', title: 'Most liked tweets', blocks: describeTopTweets(data) },
        describeChanges(data),
      ],
      cited: {
        title: `Profile, tweets, followers and followed accounts of the microblog account ${handle} (id ${account.restId})`,
        key: account.screenName ?? account.restId,
        queries: `${collection.kinds.map(({ kind }) => kind).join(', ') || 'none'}, of id ${account.restId}`,
      },
    },
    collection,
    origin,
  );
}

/** The lines below the name: what is known of the account. */
function listLines({ name, screenName, restId, createdAt, ...account }: ReportedAccount): Text[] {
  const { description, location, url, unavailableSince, isHidden } = account;
  // Without a known name, the heading is the handle or the id.
  const handle: readonly Inline[] =
    name === null ? [] : [screenName === null ? 'no known handle' : { name: `@${screenName}` }, ' · '];
  const places = [location, url].flatMap((text) => (text ? [{ name: text }] : []));
  return [
    [...handle, `id ${restId}`, ...(createdAt === null ? [] : [' · created on ', { day: createdAt }])],
    ...(unavailableSince === null
      ? []
      : [
          [
            { strong: 'The service no longer shows this account: ' },
            'it answered 404 for its id on ',
            { day: unavailableSince },
            isHidden ? '. Its texts are left out of this report.' : '.',
          ] satisfies Text,
        ]),
    ...(description ? [{ name: truncate(description, MAX_BIOGRAPHY) }] : []),
    ...(places.length === 0 ? [] : [places.flatMap((place, i) => (i === 0 ? [place] : [' · ', place]))]),
  ];
}

function describeOverview({ account, coverage, collection, deletions }: AccountReportData): Block[] {
  return [
    {
      type: 'tiles',
      tiles: [
        { label: 'Tweets', value: formatCount(coverage.tweets.stored), detail: 'stored, from all lists and searches' },
        ...coverage.accountLists.map(toTile),
        {
          label: 'Requests',
          value: formatCount(collection.requests),
          detail: `in ${pluralize(countCrawls(collection), 'crawl')}`,
        },
      ],
    },
    { type: 'list', items: summariseCoverage(coverage) },
    ...(account.oldestTweetAt === null || account.newestTweetAt === null
      ? []
      : [
          {
            type: 'paragraph',
            text: [
              'The stored tweets were written ',
              ...describeDays(account.oldestTweetAt, account.newestTweetAt),
              '. ',
              ...describeDeletions(account),
            ],
          } as const,
          describeEvidenceAge(deletions),
        ]),
  ];
}

const toTile = (list: AccountListCoverage): Tile => ({
  label: list.label,
  value: formatCount(list.stored),
  share: computeScore(list) ?? undefined,
  detail: list.counted,
});

const describeDeletions = ({ deletedTweets, suspectedTweets }: ReportedAccount): string[] => [
  ...(deletedTweets === 0 ? [] : [`${pluralize(deletedTweets, 'of them has', 'of them have')} been deleted since. `]),
  ...(suspectedTweets === 0
    ? []
    : [
        `${pluralize(suspectedTweets, 'of them is', 'of them are')} missing from the latest list, and may have been deleted.`,
      ]),
];

function describePeople({ charts, lostFollowers = '' }: AccountReportData): Section {
  return {
    id: 'people',
    title: 'Followers over time',
    blocks: joinCharts(
      presentChart(charts['followers-over-time'], {
        title: 'Number of followers',
        caption:
          'As the service reported it when it showed the account. The line is interrupted where it was not observed.',
        none: 'The service has not reported the number of followers.',
        isZeroShown: true,
      }),
      presentChart(charts['followers-gained-and-lost'], {
        title: 'Followers gained and lost',
        caption:
          'By the period in which the change was noticed. Followers on the first complete list do not count as gained. ' +
          `A follower counts as lost after two complete lists without it. ${lostFollowers}`.trimEnd(),
        none: 'Complete lists were compared, and no follower was gained or lost.',
      }),
    ),
  };
}

function describeActivity({ charts }: AccountReportData): Section {
  return {
    id: 'activity',
    title: 'Activity',
    blocks: joinCharts(
      presentChart(charts['tweets-per-period'], {
        title: 'Tweets over time',
        caption:
          'Stored tweets and replies by the time when they were written (UTC). Hatched periods were observed in part, and gaps not at all.',
        none: 'The account had written nothing when it was crawled.',
      }),
      presentChart(charts['activity-by-hour'], {
        title: 'Hours of the week',
        caption: 'Stored tweets and replies by the hour in which they were written (UTC).',
        none: 'The account had written nothing when it was crawled.',
      }),
      presentChart(withoutSilence(charts.engagement), {
        title: 'Engagement',
        caption:
          'Likes, retweets, replies and quotes of an original tweet, as the service showed them last: the median of the tweets of a period.',
        none: 'The service showed no counts for the stored tweets.',
      }),
    ),
  };
}

/** Removes the periods without tweets: they have no median, and would be drawn like periods that were not observed. */
function withoutSilence({ answer, ...answered }: AnsweredQuery): AnsweredQuery {
  const tweets = answer.columns.indexOf('tweets');
  return { ...answered, answer: { ...answer, rows: answer.rows.filter((row) => row[tweets] !== 0) } };
}

function describeTopTweets({ texts }: AccountReportData): Block[] {
  if (texts === null) return [LEFT_OUT];
  return describePosts(texts['top-tweets'].answer, {
    label: 'Tweets by likes, most first',
    none: 'No stored tweet of the account has a known number of likes.',
  });
}

const LEFT_OUT: Block = {
  type: 'absence',
  absence: 'not available',
  text: 'The service no longer shows this account, so its texts are left out. They are stored; --include-deleted shows them.',
};

function describeChanges({ charts, changes, texts }: AccountReportData): Section {
  const columns = { last_seen_at: 'Last seen', changed_at: 'Noticed' };
  return {
    id: 'changes',
    title: 'Changes',
    blocks: [
      ...(texts === null
        ? [LEFT_OUT]
        : presentTable(texts['profile-changes'], {
            title: 'Profile and handle',
            caption:
              'Changed fields, newest first. A change happened after it was last seen, and not later than it was noticed.',
            columns: { field: 'Field', old_value: 'Before', new_value: 'After', ...columns },
            none: 'The profile was seen several times, and no change was noticed.',
          })),
      ...presentChart(charts['deletions-and-edits'], {
        title: 'Deleted and edited tweets',
        caption:
          'By the period in which the change was noticed. Only crawls that read a part of the timeline again notice a change; --full-refresh reads all of it.',
        none: 'Crawls read the timeline again, and noticed no deletion and no edit.',
      }),
      ...tabulate(changes['deleted-tweets'], 'Deletions, newest first', {
        rest_id: 'Tweet',
        state: 'State',
        created_at: 'Written',
        last_seen_at: 'Last seen',
        suspected_at: 'Missing since',
        text: 'Text',
      }),
      ...tabulate(changes['edited-tweets'], 'Edits, newest first', {
        rest_id: 'Tweet',
        ...columns,
        before: 'Before',
        after: 'After',
      }),
    ],
  };
}

/** Tweets whose texts may be left out. Without any, the chart says why. */
const tabulate = ({ answer }: AnsweredQuery, caption: string, columns: Readonly<Record<string, string>>): Block[] =>
  answer.rows.length === 0
    ? []
    : [describeRows(answer, caption, { columns, nulls: { text: 'left out', before: 'left out', after: 'left out' } })];
