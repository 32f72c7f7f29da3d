/** The stored relations between lists and what they show, as SQL reads them. A list has a kind and a target, like its crawls. */

/** A relation of tweets and what shows them. */
interface TweetRelation {
  readonly table: string;
  /** Its keys: of the tweet, and of the owner. */
  readonly tweet: string;
  readonly owner: string;
  /** The table of owners, with the column that is the target of their crawls. */
  readonly owners: string;
  readonly target: string;
  /** When a row `m` about a tweet `t` was last seen. */
  readonly lastSeenAt: string;
}

export const TWEET_RELATIONS = {
  community: {
    table: 'community_tweets',
    tweet: 'tweet_id',
    owner: 'community_id',
    owners: 'communities',
    target: 'rest_id',
    lastSeenAt: 't.last_seen_at',
  },
  list: {
    table: 'list_tweets',
    tweet: 'tweet_id',
    owner: 'list_id',
    owners: 'lists',
    target: 'rest_id',
    lastSeenAt: 't.last_seen_at',
  },
  search: {
    table: 'search_hits',
    tweet: 'tweet_id',
    owner: 'search_id',
    owners: 'searches',
    target: 'query',
    lastSeenAt: 'm.last_seen_at',
  },
  tweet: {
    table: 'tweet_replies',
    tweet: 'reply_id',
    owner: 'tweet_id',
    owners: 'tweets',
    target: 'rest_id',
    lastSeenAt: 'm.last_seen_at',
  },
} as const satisfies Readonly<Record<string, TweetRelation>>;

export type TweetRelationKind = keyof typeof TWEET_RELATIONS;

/** Returns the rows `m` of a relation with their owners `o`, joined to a tweet `t`. */
export const joinTweets = (kind: TweetRelationKind): string => {
  const { table, tweet, owner, owners } = TWEET_RELATIONS[kind];
  return `${table} m on m.${tweet} = t.id join ${owners} o on o.id = m.${owner}`;
};

/** The columns of an edge that have the owner of a list and the account that it shows. */
export const EDGE_RELATIONS = {
  followers: { owner: 'followee_id', member: 'follower_id' },
  following: { owner: 'follower_id', member: 'followee_id' },
} as const;

/** The lists that show an edge `e`, as rows of their kind and their target. */
export const LISTS_OF_EDGE = `values ${Object.entries(EDGE_RELATIONS)
  .map(([kind, { owner }]) => `('${kind}', (select rest_id from users where id = e.${owner}))`)
  .join(', ')}`;
