import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { id, key, restId, text } from './columns.ts';
import { tweets } from './tweet-tables.ts';

const group = () => ({
  id: id(),
  restId: restId(),
  name: text('name', 'words'),
  description: text('description', 'words'),
  lastSeenAt: integer('last_seen_at').notNull(),
});

/** Communities. */
export const communities = sqliteTable('communities', group());

/** Tweets of communities. */
export const communityTweets = sqliteTable(
  'community_tweets',
  {
    communityId: key('community_id', () => communities.id),
    tweetId: key('tweet_id', () => tweets.id),
    firstSeenAt: integer('first_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.communityId, t.tweetId] }), index('community_tweets_tweet').on(t.tweetId)],
);

/** Public lists of users. */
export const lists = sqliteTable('lists', group());

/** Tweets that were seen in lists. */
export const listTweets = sqliteTable(
  'list_tweets',
  {
    listId: key('list_id', () => lists.id),
    tweetId: key('tweet_id', () => tweets.id),
    firstSeenAt: integer('first_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.listId, t.tweetId] }), index('list_tweets_tweet').on(t.tweetId)],
);

/** Search strings that were crawled. */
export const searches = sqliteTable('searches', {
  id: id(),
  query: text('query', 'query').notNull().unique(),
  firstSeenAt: integer('first_seen_at').notNull(),
  lastSeenAt: integer('last_seen_at').notNull(),
});

/** Tweets that a search found, with the position in the latest result, and the times when it first and last found them. */
export const searchHits = sqliteTable(
  'search_hits',
  {
    searchId: key('search_id', () => searches.id),
    tweetId: key('tweet_id', () => tweets.id),
    rank: integer('rank').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.searchId, t.tweetId] }), index('search_hits_tweet').on(t.tweetId)],
);
