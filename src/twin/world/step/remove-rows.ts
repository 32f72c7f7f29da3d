import type { Db } from '../../../store/sqlite/database.ts';

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
