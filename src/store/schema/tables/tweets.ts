import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, id, key, restId } from './columns.ts';
import { crawls } from './crawls.ts';
import { users } from './users.ts';

/** Tweets and replies. */
export const tweets = sqliteTable(
  'tweets',
  {
    id: id(),
    restId: restId(),
    authorId: integer('author_id').references(() => users.id),
    text: text('text'),
    createdAt: integer('created_at'),
    favoriteCount: integer('favorite_count'),
    retweetCount: integer('retweet_count'),
    replyCount: integer('reply_count'),
    quoteCount: integer('quote_count'),
    hasMedia: flag('has_media'),
    inReplyToStatusRestId: text('in_reply_to_status_rest_id'),
    inReplyToUserRestId: text('in_reply_to_user_rest_id'),
    inReplyToScreenName: text('in_reply_to_screen_name'),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    /** Flag: the latest observation did not show all that is known; `_tweet_stale_columns` says what is older. */
    hasStaleColumns: flag('has_stale_columns').notNull().default(false),
    /** Which lists of its author showed it: 1 timeline, 2 replies, 3 both. */
    seenInLists: integer('seen_in_lists').notNull().default(0),
    /** When `has_media` was last shown, and when any of `in_reply_to_*` was: few endpoints show them. */
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

/** What the latest observation of a tweet did not show though earlier ones did: the column, and when it was last seen. */
export const tweetStaleColumns = sqliteTable(
  '_tweet_stale_columns',
  {
    tweetId: key('tweet_id', () => tweets.id),
    columnName: text('column_name').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.columnName] })],
);

/**
 * Tweets that were not where their author's list had shown them before (suspected), and those of which the service said
 * that they are gone (confirmed). It holds only while it is later than the tweet's `last_seen_at`: seen again, it is back.
 */
export const deletionEvidence = sqliteTable(
  '_deletion_evidence',
  {
    tweetId: integer('tweet_id')
      .primaryKey()
      .references(() => tweets.id),
    /** When a list first lacked it since it was last seen. */
    suspectedAt: integer('suspected_at').notNull(),
    /** When the service answered 404 for it. */
    confirmedAt: integer('confirmed_at'),
    /** The crawl that missed it last, or that was told. */
    crawlId: key('crawl_id', () => crawls.id),
  },
  (t) => [index('_deletion_evidence_crawl').on(t.crawlId)],
);

/**
 * Replies that tweet-detail showed below a tweet. Their position is the evidence that they answer it: they carry no
 * `in_reply_to_*` fields. Replies that carry these fields have no row here unless they were shown so, too: `v_replies` has both.
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

/** Earlier values of a tweet, one row per change: when they were last seen, and when others were. Null is unchanged. */
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
    text: text('text'),
    createdAt: integer('created_at'),
    hasMedia: flag('has_media'),
    inReplyToStatusRestId: text('in_reply_to_status_rest_id'),
    inReplyToUserRestId: text('in_reply_to_user_rest_id'),
    inReplyToScreenName: text('in_reply_to_screen_name'),
  },
  (t) => [index('tweet_history_tweet').on(t.tweetId, t.changedAt)],
);

/** Photos and other media of tweets, in the order shown. */
export const media = sqliteTable(
  'media',
  {
    tweetId: key('tweet_id', () => tweets.id),
    position: integer('position').notNull(),
    type: text('type'),
    url: text('url'),
    width: integer('width'),
    height: integer('height'),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.position] })],
);

/** Hashtags in tweets, in lower case and without the sign. */
export const tweetHashtags = sqliteTable(
  'tweet_hashtags',
  {
    tweetId: key('tweet_id', () => tweets.id),
    tag: text('tag').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tag, t.tweetId] }), index('tweet_hashtags_tweet').on(t.tweetId)],
);

/** Users mentioned in tweets, by the handle as written, in lower case. */
export const tweetMentions = sqliteTable(
  'tweet_mentions',
  {
    tweetId: key('tweet_id', () => tweets.id),
    screenName: text('screen_name').notNull(),
  },
  (t) => [primaryKey({ columns: [t.screenName, t.tweetId] }), index('tweet_mentions_tweet').on(t.tweetId)],
);

/** Links in tweets. */
export const tweetLinks = sqliteTable(
  'tweet_links',
  {
    tweetId: key('tweet_id', () => tweets.id),
    url: text('url').notNull(),
  },
  (t) => [primaryKey({ columns: [t.tweetId, t.url] })],
);
