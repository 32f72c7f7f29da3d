import type { TweetListKind } from '#service/kinds/kinds.ts';
import { follows } from '#store/schema/tables.ts';

export type { TweetListKind } from '#service/kinds/kinds.ts';

/**
 * The stored relations between lists and what they show, a row for each. A list has a kind and a target, like its crawls.
 * Loops over these rows store, ship, restore, erase, prune, export and serve them.
 */

/** The table of the owners of lists, the column that is the target of their crawls, and the use of the target in an erasure. */
type ListOwner = Readonly<
  | { owners: 'users'; target: 'rest_id'; targetUse: 'account' }
  | { owners: 'tweets'; target: 'rest_id'; targetUse: 'tweet' }
  | { owners: 'communities' | 'lists'; target: 'rest_id'; targetUse: 'text' }
  | { owners: 'searches'; target: 'query'; targetUse: 'query' }
>;

interface RelationColumns {
  readonly table: string;
  /** The title of its table in a dataset; undefined for replies, which have a table of their own. */
  readonly title: string | undefined;
  /** Its keys: of the tweet, and of the owner. */
  readonly tweet: string;
  readonly owner: string;
  /** The table of its facts, with a description, and the columns for target and tweet. */
  readonly fact: string;
  readonly description: string;
  readonly factColumns: readonly [target: string, tweet: string];
  /** The owner is a community or a list: a page shows its name, and its rows have no last time. */
  readonly isGroup?: true;
  /** Its rows have the position of the tweet. */
  readonly isRanked?: true;
}

/** A relation of tweets and what shows them. */
export type TweetRelation = RelationColumns & ListOwner;

const group = (table: string, title: string, owner: string, owners: 'communities' | 'lists') =>
  ({
    table,
    title,
    owner,
    owners,
    tweet: 'tweet_id',
    target: 'rest_id',
    fact: 'group_tweets',
    description: 'A community or a list showed a tweet.',
    factColumns: ['group_rest_id', 'tweet_rest_id'],
    targetUse: 'text',
    isGroup: true,
  }) as const satisfies TweetRelation;

const RELATIONS = {
  community: group('community_tweets', 'Tweets of communities', 'community_id', 'communities'),
  list: group('list_tweets', 'Tweets that were seen in lists', 'list_id', 'lists'),
  search: {
    table: 'search_hits',
    title: 'Tweets that a search found',
    tweet: 'tweet_id',
    owner: 'search_id',
    owners: 'searches',
    target: 'query',
    fact: 'search_hits',
    description: 'A search found a tweet, at a position from 0.',
    factColumns: ['query', 'tweet_rest_id'],
    targetUse: 'query',
    isRanked: true,
  },
  tweet: {
    table: 'tweet_replies',
    title: undefined,
    tweet: 'reply_id',
    owner: 'tweet_id',
    owners: 'tweets',
    target: 'rest_id',
    fact: 'reply_sightings',
    description: 'A tweet was shown with a reply below it.',
    factColumns: ['tweet_rest_id', 'reply_rest_id'],
    targetUse: 'tweet',
  },
} as const satisfies Record<TweetListKind, TweetRelation>;

/** The tables of facts of relations. */
export type TweetFact = (typeof RELATIONS)[keyof typeof RELATIONS]['fact'];
type Row = TweetRelation & { readonly fact: TweetFact };
export const TWEET_RELATIONS: Readonly<Record<TweetListKind, Row>> = RELATIONS;
/** The same with the kinds of their lists. */
export const TWEET_LISTS = Object.entries(TWEET_RELATIONS) as [TweetListKind, Row][];

/** Returns the rows `m` of a relation with their owners `o`, joined to a tweet `t`. */
export const joinTweets = ({ table, tweet, owner, owners }: TweetRelation): string =>
  `${table} m on m.${tweet} = t.id join ${owners} o on o.id = m.${owner}`;

/** Returns the values of a fact, or of SQL, in the order of its columns. */
export const toListFact = <T>(
  [kind, { isGroup, isRanked }]: readonly [string, TweetRelation],
  { at, target, tweet, rank }: Readonly<Record<'at' | 'target' | 'tweet' | 'rank', T>>,
): (T | string)[] => [at, ...(isGroup ? [kind] : []), target, tweet, ...(isRanked ? [rank] : [])];

/**
 * An edge is in two lists: in the followers of the followee, and in the followed accounts of the follower. Its columns with
 * the owner of the list and the account that it shows, and the value of `last_seen_in`.
 */
export const EDGE_RELATIONS = {
  followers: { owner: follows.followeeId, member: follows.followerId, lastSeenIn: 0 },
  following: { owner: follows.followerId, member: follows.followeeId, lastSeenIn: 1 },
} as const;

/** The lists that show an edge `e`, as rows of their kind and their target. */
export const LISTS_OF_EDGE = `values ${Object.entries(EDGE_RELATIONS)
  .map(([kind, { owner }]) => `('${kind}', (select rest_id from users where id = e.${owner.name}))`)
  .join(', ')}`;
