import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { flag, id, key, label, restId, text } from './columns.ts';
import { crawls } from './crawl-tables.ts';
import { users } from './user-tables.ts';

/** Tweets and replies. */
export const tweets = sqliteTable(
  'tweets',
  {
    id: id(),
    restId: restId(),
    authorId: integer('author_id').references(() => users.id),
    /** The text. */
    text: text('text', 'words'),
    /** When it was written. */
    createdAt: integer('created_at'),
    /** Likes, when last seen. */
    favoriteCount: integer('favorite_count'),
    /** Retweets, when last seen. */
    retweetCount: integer('retweet_count'),
    /** The reported number of replies. `v_replies` has the stored ones. */
    replyCount: integer('reply_count'),
    /** Quotes, when last seen. */
    quoteCount: integer('quote_count'),
    /** Flag: the service reports media. */
    hasMedia: flag('has_media'),
    /** The id of the tweet that it replies to. */
    inReplyToStatusRestId: text('in_reply_to_status_rest_id', 'reply target'),
    /** The id of the user that it replies to. */
    inReplyToUserRestId: text('in_reply_to_user_rest_id', 'reply target'),
    /** The handle of the user that it replies to, as shown with the reply. */
    inReplyToScreenName: text('in_reply_to_screen_name', 'reply target'),
    /** When it was first seen. */
    firstSeenAt: integer('first_seen_at').notNull(),
    /** When it was last seen. */
    lastSeenAt: integer('last_seen_at').notNull(),
    /** Flag: some columns are older than the latest observation; `_tweet_stale_columns` lists them. */
    hasStaleColumns: flag('has_stale_columns').notNull().default(false),
    /** The lists of its author that showed it: 1 timeline, 2 replies, 3 both. */
    seenInLists: integer('seen_in_lists').notNull().default(0),
    /** When `has_media` and any of `in_reply_to_*` were last seen. Few endpoints show them. */
    hasMediaSeenAt: integer('has_media_seen_at'),
    inReplyToSeenAt: integer('in_reply_to_seen_at'),
  },
  (t) => [
    index('tweets_author').on(t.authorId, t.createdAt),
    index('tweets_created_at').on(t.createdAt),
    index('tweets_in_reply_to')
      .on(t.inReplyToStatusRestId)
      .where(sql`in_reply_to_status_rest_id is not null`),
    index('tweets_in_reply_to_user')
      .on(t.inReplyToUserRestId)
      .where(sql`in_reply_to_user_rest_id is not null`),
    index('tweets_in_reply_to_screen_name')
      .on(sql`${t.inReplyToScreenName} collate nocase`)
      .where(sql`in_reply_to_screen_name is not null`),
  ],
);

/** Columns of tweets that the latest observation did not show, with the time when they were last seen. */
export const tweetStaleColumns = sqliteTable(
  '_tweet_stale_columns',
  {
    tweetId: key('tweet_id', () => tweets.id),
    columnName: label('column_name').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.columnName] })],
);

/**
 * Tweets that are missing from their author's list (suspected), and tweets that the service reports as deleted
 * (confirmed). The evidence applies only while it is later than the tweet's `last_seen_at`.
 */
export const deletionEvidence = sqliteTable(
  '_deletion_evidence',
  {
    tweetId: integer('tweet_id')
      .primaryKey()
      .references(() => tweets.id),
    /** When a list first lacked the tweet after it was last seen. */
    suspectedAt: integer('suspected_at').notNull(),
    /** When the service responded with 404. */
    confirmedAt: integer('confirmed_at'),
    /** The latest crawl that did not find the tweet. */
    crawlId: key('crawl_id', () => crawls.id),
  },
  (t) => [index('_deletion_evidence_crawl').on(t.crawlId)],
);

/**
 * Replies that tweet-detail showed below a tweet. Only their position shows which tweet they answer, since they have no
 * `in_reply_to_*` fields. `v_replies` also contains the replies with these fields.
 */
export const tweetReplies = sqliteTable(
  'tweet_replies',
  {
    tweetId: key('tweet_id', () => tweets.id),
    replyId: key('reply_id', () => tweets.id),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.replyId] }), index('tweet_replies_reply').on(t.replyId)],
);

/** Earlier values of tweets, one row per change: when they were last seen, and when the new values were first seen. Null: no change. */
export const tweetHistory = sqliteTable(
  'tweet_history',
  {
    id: id(),
    tweetId: key('tweet_id', () => tweets.id),
    lastSeenAt: integer('last_seen_at').notNull(),
    changedAt: integer('changed_at').notNull(),
    favoriteCount: integer('favorite_count'),
    retweetCount: integer('retweet_count'),
    replyCount: integer('reply_count'),
    quoteCount: integer('quote_count'),
    authorId: integer('author_id').references(() => users.id),
    text: text('text', 'words'),
    createdAt: integer('created_at'),
    hasMedia: flag('has_media'),
    inReplyToStatusRestId: text('in_reply_to_status_rest_id', 'reply target'),
    inReplyToUserRestId: text('in_reply_to_user_rest_id', 'reply target'),
    inReplyToScreenName: text('in_reply_to_screen_name', 'reply target'),
  },
  (t) => [index('tweet_history_tweet').on(t.tweetId, t.changedAt)],
);

/** Photos and other media of tweets, in order. */
export const media = sqliteTable(
  'media',
  {
    tweetId: key('tweet_id', () => tweets.id),
    /** The position in the tweet, from 0. */
    position: integer('position').notNull(),
    /** The type as the service names it, such as `photo`. */
    type: label('type'),
    /** The address of the file at the service. trawl does not store the file. */
    url: text('url', 'words'),
    /** The width in pixels. */
    width: integer('width'),
    /** The height in pixels. */
    height: integer('height'),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.position] })],
);

/** Hashtags in tweets, in lower case and without `#`. */
export const tweetHashtags = sqliteTable(
  'tweet_hashtags',
  {
    tweetId: key('tweet_id', () => tweets.id),
    tag: text('tag', 'mention').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tag, t.tweetId] }), index('tweet_hashtags_tweet').on(t.tweetId)],
);

/** Mentions in tweets: handles as written, in lower case. */
export const tweetMentions = sqliteTable(
  'tweet_mentions',
  {
    tweetId: key('tweet_id', () => tweets.id),
    screenName: text('screen_name', 'mention').notNull(),
  },
  (t) => [primaryKey({ columns: [t.screenName, t.tweetId] }), index('tweet_mentions_tweet').on(t.tweetId)],
);

/** Links in tweets. */
export const tweetLinks = sqliteTable(
  'tweet_links',
  {
    tweetId: key('tweet_id', () => tweets.id),
    url: text('url', 'link').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.url] })],
);
