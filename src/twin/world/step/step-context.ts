import type { SeededRandom } from '../../../base/seeded-random.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { Population, Account } from './population.ts';

/** The data that the events of a step read and change. */
export interface StepContext {
  readonly db: Db;
  readonly random: SeededRandom;
  readonly population: Population;
  readonly changes: ChangeRecorder;
  /** The times of the world before and after the step, in milliseconds UTC. */
  readonly from: number;
  readonly to: number;
}

export interface Edge {
  /** The service's ids. */
  readonly follower: string;
  readonly followee: string;
}

/** Columns of users that a step changes, except the handle. */
export const PROFILE_FIELDS = ['description', 'location', 'name', 'profileImageUrl', 'canDm'] as const;

/** The changes of a step, by the service's ids. Tweets that a step added still exist at its end. */
export interface WorldChanges {
  readonly tweets: readonly string[];
  readonly replies: readonly string[];
  readonly edits: readonly string[];
  /** Tweets deleted by their authors. Tweets of suspended accounts are counted in `suspensions`. */
  readonly deletions: readonly string[];
  /** Other tweets with new numbers of likes, retweets, quotes or replies. */
  readonly tweetCounts: readonly string[];
  readonly follows: readonly Edge[];
  readonly unfollows: readonly Edge[];
  /** `isTaken`: another account had the new handle before. */
  readonly renames: readonly { restId: string; from: string; to: string; isTaken: boolean }[];
  readonly profiles: readonly { restId: string; field: (typeof PROFILE_FIELDS)[number] }[];
  readonly suspensions: readonly { restId: string; screenName: string; tweets: number; edges: number }[];
  /** Accounts with new numbers of followers, followed accounts, tweets, media or likes. */
  readonly userCounts: readonly string[];
}

type ChangeRecorder = ReturnType<typeof createChangeRecorder>;

/** Collects the changes of a step, and the rows whose counts depend on them. */
export function createChangeRecorder() {
  const lists = {
    tweets: [] as string[],
    replies: [] as string[],
    follows: [] as Edge[],
    unfollows: [] as Edge[],
    renames: [] as WorldChanges['renames'][number][],
    profiles: [] as WorldChanges['profiles'][number][],
    suspensions: [] as WorldChanges['suspensions'][number][],
    userCounts: [] as string[],
  };
  const edits = new Set<string>();
  const deletions = new Set<string>();
  const tweetCounts = new Set<string>();
  return {
    ...lists,
    edits,
    deletions,
    tweetCounts,
    /** Keys of users whose counts are computed again. */
    touchedUsers: new Set<number>(),
    /** The service's ids of tweets whose replies are counted again. */
    touchedParents: new Set<string>(),
    /** New likes, by the key of the account that likes. */
    likes: new Map<number, number>(),
    renamed: new Set<Account>(),
    /** Fields of profiles that the step has changed; it does not change them again. */
    changedFields: new Set<string>(),
    /** Edges that the step has begun or ended; it does not change them again. */
    changedEdges: new Set<string>(),
    finish(): WorldChanges {
      const isNew = new Set([...lists.tweets, ...lists.replies]);
      const remaining = (ids: Iterable<string>): string[] => [...ids].filter((id) => !deletions.has(id));
      return {
        ...lists,
        edits: remaining(edits),
        deletions: [...deletions],
        tweetCounts: remaining(tweetCounts).filter((id) => !isNew.has(id)),
      };
    },
  };
}

/** Every column (as the left side of a condition) that refers to a tweet, in the tables that a store without crawls fills. */
const TWEET_REFERENCES = [
  ['media', 'tweet_id'],
  ['tweet_hashtags', 'tweet_id'],
  ['tweet_mentions', 'tweet_id'],
  ['tweet_links', 'tweet_id'],
  // These tables have an index by group first.
  ['community_tweets', 'community_id in (select id from communities) and tweet_id'],
  ['list_tweets', 'list_id in (select id from lists) and tweet_id'],
  ['tweet_history', 'tweet_id'],
  ['_tweet_stale_columns', 'tweet_id'],
] as const;

/** Every column that refers to a user, except the author of a tweet. */
const USER_REFERENCES = [
  ['follows', 'follower_id'],
  ['follows', 'followee_id'],
  ['follow_history', 'follower_id'],
  ['follow_history', 'followee_id'],
  ['user_history', 'user_id'],
  ['_user_last_seen', 'user_id'],
  ['_user_stale_columns', 'user_id'],
] as const;

/** Prepares the removal of tweets and users with all rows that refer to them. */
export function prepareRemoval(db: Db) {
  const prepareDelete = (table: string, column: string) =>
    db.$client.prepare<[number]>(`delete from ${table} where ${column} = ?`);
  const ofTweet = [...TWEET_REFERENCES, ['tweets', 'id'] as const].map(([table, column]) =>
    prepareDelete(table, column),
  );
  const ofUser = [...USER_REFERENCES, ['users', 'id'] as const].map(([table, column]) => prepareDelete(table, column));
  return {
    /** Removes a tweet. Replies to it remain, as on the service. */
    tweet(id: number): void {
      for (const statement of ofTweet) statement.run(id);
    },
    /** Removes a user without tweets. */
    user(id: number): void {
      for (const statement of ofUser) statement.run(id);
    },
  };
}
