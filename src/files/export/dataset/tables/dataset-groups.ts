import {
  atTime,
  type ExportTable,
  integerColumn,
  ofAccounts,
  ofTweets,
  textColumn,
  timeColumn,
  tweetBelongsTo,
} from '#files/export/tables/table-definition.ts';
import { TWEET_RELATIONS, type TweetListKind, type TweetRelation } from '#store/relations/list-relations.ts';

/** A community, a list or a search. */
function groupTable(kind: TweetListKind, title: string, columns: ExportTable['columns']): ExportTable {
  const { owners, owner, table } = TWEET_RELATIONS[kind];
  return {
    name: owners,
    title,
    columns,
    from: `${owners} g`,
    orderBy: 'g.id',
    key: ['g.id'],
    time: atTime('g.last_seen_at'),
    accountIds: [],
    belongsTo: (set) => `g.id in (select x.${owner} from ${table} x where ${tweetBelongsTo('x.tweet_id')(set)})`,
    kinds: [kind],
  };
}

const named = (what: string) => [
  textColumn('g.rest_id', "The service's id."),
  textColumn('g.name', `The name of the ${what}.`),
  textColumn('g.description', `The description of the ${what}.`),
  timeColumn('g.last_seen_at', 'When it was last seen.'),
];

export const groupTables: readonly ExportTable[] = [
  groupTable('community', 'Communities', named('community')),
  groupTable('list', 'Public lists of accounts', named('list')),
  groupTable('search', 'Search strings that were crawled', [
    textColumn('g.query', 'The search string.'),
    timeColumn('g.first_seen_at', 'When it was first crawled.'),
    timeColumn('g.last_seen_at', 'When it was last crawled.'),
  ]),
];

/** Returns the table of the tweets in the lists of a relation, with the column that names the list; none without a title. */
export function createListTable([kind, relation]: [TweetListKind, TweetRelation]) {
  const { table, title, owner, owners, target, isGroup, isRanked } = relation;
  if (title === undefined) return [];
  const list = target === 'rest_id' ? owner.replace(/id$/, 'rest_id') : target;
  const rank = integerColumn('x.rank', 'The position in the latest result, which the service sorts by relevance.');
  const lastSeen = timeColumn('x.last_seen_at', 'When it was last shown there.');
  const exported: ExportTable = {
    name: table,
    title,
    columns: [
      textColumn(`g.${target}`, `The row of \`${owners}\` that showed the tweet.`, list),
      textColumn('t.rest_id', 'The id of the tweet.', 'tweet_rest_id'),
      ...(isRanked ? [rank] : []),
      timeColumn('x.first_seen_at', 'When the tweet was first shown there.'),
      ...(isGroup ? [] : [lastSeen]),
    ],
    from: `${table} x
  cross join ${owners} g on g.id = x.${owner}
  cross join tweets t on t.id = x.tweet_id`,
    orderBy: `x.${owner}, x.tweet_id`,
    key: [`x.${owner}`, 'x.tweet_id'],
    ...ofTweets('x.tweet_id'),
    // A list of an account belongs to the account, whoever wrote its tweets.
    ...(owners === 'users' && { ...ofAccounts(`x.${owner}`), accountIds: [`x.${owner}`, 't.author_id'] }),
    kinds: [kind],
  };
  return [{ exported, list, owners, target }];
}
