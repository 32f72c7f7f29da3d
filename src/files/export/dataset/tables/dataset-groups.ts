import {
  atTime,
  type ExportTable,
  integerColumn,
  ofTweets,
  textColumn,
  timeColumn,
  tweetBelongsTo,
} from '#files/export/tables/table-definition.ts';

/** What differs between communities, lists and searches. */
interface Group {
  readonly kind: 'community' | 'list' | 'search';
  /** The table of the groups, and that of their tweets with the column that refers to the group. */
  readonly table: string;
  readonly tweets: string;
  readonly column: string;
}

const COMMUNITY: Group = {
  kind: 'community',
  table: 'communities',
  tweets: 'community_tweets',
  column: 'community_id',
};
const LIST: Group = { kind: 'list', table: 'lists', tweets: 'list_tweets', column: 'list_id' };
const SEARCH: Group = { kind: 'search', table: 'searches', tweets: 'search_hits', column: 'search_id' };

const groupTable = (group: Group, title: string, columns: ExportTable['columns']): ExportTable => ({
  name: group.table,
  title,
  columns,
  from: `${group.table} g`,
  orderBy: 'g.id',
  key: ['g.id'],
  time: atTime('g.last_seen_at'),
  accountIds: [],
  belongsTo: (set) =>
    `g.id in (select x.${group.column} from ${group.tweets} x where ${tweetBelongsTo('x.tweet_id')(set)})`,
  kinds: [group.kind],
});

const named = (what: string) => [
  textColumn('g.rest_id', "The service's id."),
  textColumn('g.name', `The name of the ${what}.`),
  textColumn('g.description', `The description of the ${what}.`),
  timeColumn('g.last_seen_at', 'When it was last seen.'),
];

/** The tweets of groups. `name` is the column that names the group. */
const groupTweetsTable = (group: Group, title: string, columns: ExportTable['columns']): ExportTable => ({
  name: group.tweets,
  title,
  columns,
  from: `${group.tweets} x
  cross join ${group.table} g on g.id = x.${group.column}
  cross join tweets t on t.id = x.tweet_id`,
  orderBy: `x.${group.column}, x.tweet_id`,
  key: [`x.${group.column}`, 'x.tweet_id'],
  ...ofTweets('x.tweet_id'),
  kinds: [group.kind],
});

const TWEET = textColumn('t.rest_id', 'The id of the tweet.', 'tweet_rest_id');

export const communitiesTable = groupTable(COMMUNITY, 'Communities', named('community'));
export const communityTweetsTable = groupTweetsTable(COMMUNITY, 'Tweets of communities', [
  textColumn('g.rest_id', 'The id of the community.', 'community_rest_id'),
  TWEET,
  timeColumn('x.first_seen_at', 'When the community first showed the tweet.'),
]);

export const listsTable = groupTable(LIST, 'Public lists of accounts', named('list'));
export const listTweetsTable = groupTweetsTable(LIST, 'Tweets that were seen in lists', [
  textColumn('g.rest_id', 'The id of the list.', 'list_rest_id'),
  TWEET,
  timeColumn('x.first_seen_at', 'When the list first showed the tweet.'),
]);

export const searchesTable = groupTable(SEARCH, 'Search strings that were crawled', [
  textColumn('g.query', 'The search string.'),
  timeColumn('g.first_seen_at', 'When it was first crawled.'),
  timeColumn('g.last_seen_at', 'When it was last crawled.'),
]);
export const searchHitsTable = groupTweetsTable(SEARCH, 'Tweets that a search found', [
  textColumn('g.query', 'The search string.'),
  TWEET,
  integerColumn('x.rank', 'The position in the latest result, which the service sorts by relevance.'),
  timeColumn('x.first_seen_at', 'When the search first found the tweet.'),
  timeColumn('x.last_seen_at', 'When it last found the tweet.'),
]);
