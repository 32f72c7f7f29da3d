import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, id, key, label, restId, text } from './columns.ts';
import { crawls } from './crawl-tables.ts';

/** All users seen, with the detail of the responses that showed them: profile, summary (in a list) or reference. */
export const users = sqliteTable(
  'users',
  {
    id: id(),
    restId: restId(),
    /** The handle, without `@`. */
    screenName: text('screen_name', 'own'),
    /** The display name. */
    name: text('name', 'words'),
    /** The biography. */
    description: text('description', 'words'),
    /** The location as entered by the user. */
    location: text('location', 'words'),
    /** The address of the profile. */
    url: text('url', 'words'),
    /** The type as the service names it. */
    type: label('type'),
    /** The profile picture. */
    profileImageUrl: text('profile_image_url', 'own'),
    /** The banner of the profile. */
    coverImageUrl: text('cover_image_url', 'own'),
    /** Flag, from summaries. */
    verified: flag('verified'),
    /** Flag, from profiles. */
    isBlueVerified: flag('is_blue_verified'),
    /** Flag: accepts direct messages. */
    canDm: flag('can_dm'),
    /** Flag. */
    hasCustomTimelines: flag('has_custom_timelines'),
    /** Flag. */
    isTranslator: flag('is_translator'),
    /** The reported number of followers. `v_follows` has the stored ones. */
    followersCount: integer('followers_count'),
    /** The reported number of followed accounts. */
    followingCount: integer('following_count'),
    /** The reported number of liked tweets. */
    favouritesCount: integer('favourites_count'),
    /** The reported number of tweets with media. */
    mediaCount: integer('media_count'),
    /** The reported number of tweets. */
    statusesCount: integer('statuses_count'),
    /** When the account was created. */
    createdAt: integer('created_at'),
    /** When the user was first seen in any form. */
    firstSeenAt: integer('first_seen_at').notNull(),
    /** When the full profile was last seen. */
    profileAt: integer('profile_at'),
    /** The time of the latest observation with a change. */
    changedAt: integer('changed_at'),
    /** Flag: some columns are older than the latest observations; `_user_stale_columns` lists them. */
    hasStaleColumns: flag('has_stale_columns').notNull().default(false),
  },
  (t) => [
    index('users_screen_name').on(sql`${t.screenName} collate nocase`),
    // An index of all counts costs 8 % of a commit; few accounts have so many followers (decision 64).
    index('users_most_followed')
      .on(t.followersCount)
      .where(sql`followers_count >= 1000`),
  ],
);

/** When users were last seen. It is a table of its own, since most users are otherwise unchanged when they are seen again. */
export const userLastSeen = sqliteTable('_user_last_seen', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id),
  /** When the name and the screen name were last seen. */
  lastSeenAt: integer('last_seen_at').notNull(),
  /** When a summary was last seen. */
  lastSummaryAt: integer('last_summary_at'),
});

/**
 * Columns of users that the latest observations did not show, with the time when they were last seen (decision 15). A
 * picture that only a reference showed has the time 0.
 */
export const userStaleColumns = sqliteTable(
  '_user_stale_columns',
  {
    userId: key('user_id', () => users.id),
    columnName: label('column_name').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.columnName] })],
);

/**
 * Earlier values of users, one row per change: when they were last seen, and when the new values were first seen. Null: no
 * change. All columns have a history, except pictures that only tweet-detail showed.
 */
export const userHistory = sqliteTable(
  'user_history',
  {
    id: id(),
    userId: key('user_id', () => users.id),
    lastSeenAt: integer('last_seen_at').notNull(),
    changedAt: integer('changed_at').notNull(),
    screenName: text('screen_name', 'own'),
    name: text('name', 'words'),
    description: text('description', 'words'),
    followersCount: integer('followers_count'),
    followingCount: integer('following_count'),
    statusesCount: integer('statuses_count'),
    location: text('location', 'words'),
    url: text('url', 'words'),
    type: label('type'),
    profileImageUrl: text('profile_image_url', 'own'),
    coverImageUrl: text('cover_image_url', 'own'),
    verified: flag('verified'),
    isBlueVerified: flag('is_blue_verified'),
    canDm: flag('can_dm'),
    hasCustomTimelines: flag('has_custom_timelines'),
    isTranslator: flag('is_translator'),
    favouritesCount: integer('favourites_count'),
    mediaCount: integer('media_count'),
    createdAt: integer('created_at'),
  },
  (t) => [
    index('user_history_user').on(t.userId, t.changedAt),
    index('user_history_screen_name')
      .on(sql`${t.screenName} collate nocase`)
      .where(sql`screen_name is not null`),
  ],
);

/**
 * Follow edges: one row per edge, with its current or latest period. An edge that is missing from two complete lists in a
 * row ended between `last_seen_at` and `ended_at`. If it returns, its earlier period moves to `follow_history`.
 */
export const follows = sqliteTable(
  'follows',
  {
    /** In order of arrival, so that the edges of a page are neighbours (decision 9). */
    id: id(),
    followeeId: key('followee_id', () => users.id),
    followerId: key('follower_id', () => users.id),
    /** When the edge was first seen. The service does not show when it began. */
    firstSeenAt: integer('first_seen_at').notNull(),
    /** When it was last seen. */
    lastSeenAt: integer('last_seen_at').notNull(),
    /** The latest time of its end: `first_missed_at`, set when a second complete list lacks the edge. Null for a current edge. */
    endedAt: integer('ended_at'),
    /** The end of the first complete list without the edge; null if it is not missing. */
    firstMissedAt: integer('first_missed_at'),
    /** The list where it was last seen: 0 followers, 1 followed accounts. */
    lastSeenIn: integer('last_seen_in').notNull().default(0),
  },
  (t) => [
    uniqueIndex('follows_follower').on(t.followerId, t.followeeId),
    index('follows_followee').on(t.followeeId),
    index('follows_missed_followee')
      .on(t.followeeId, t.followerId)
      .where(sql`first_missed_at is not null`),
    index('follows_missed_follower')
      .on(t.followerId, t.followeeId)
      .where(sql`first_missed_at is not null`),
  ],
);

/** Earlier periods of edges that ended and returned: first seen, last seen, and missing at `ended_at`. */
export const followHistory = sqliteTable(
  'follow_history',
  {
    id: id(),
    followeeId: key('followee_id', () => users.id),
    followerId: key('follower_id', () => users.id),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    endedAt: integer('ended_at').notNull(),
    /** The list where it was last seen: 0 followers, 1 followed accounts. */
    lastSeenIn: integer('last_seen_in').notNull().default(0),
  },
  (t) => [
    index('follow_history_followee').on(t.followeeId, t.followerId),
    index('follow_history_follower').on(t.followerId, t.followeeId),
  ],
);

/** Complete lists of followers and followed accounts: evidence about edges that they lack. */
export const listSnapshots = sqliteTable(
  '_list_snapshots',
  {
    crawlId: integer('crawl_id')
      .primaryKey()
      .references(() => crawls.id),
    side: label('side', ['followers', 'following']).notNull(),
    userId: key('user_id', () => users.id),
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at').notNull(),
    /** The number of accounts that it showed. */
    itemCount: integer('item_count').notNull(),
    /** The owner's count in a profile or a summary between the two times; null if none was seen. */
    ownerCount: integer('owner_count'),
    /** The numbers of stored edges that were missing for the first time, and for the second time in a row. */
    missedCount: integer('missed_count').notNull(),
    endedCount: integer('ended_count').notNull(),
    /**
     * For a list of followed accounts, the digest of the served bodies of its pages. Two lists with the same digest that
     * begin within 24 hours may be copies of one cached response, and count as one observation. Null if unknown.
     */
    bodyDigest: label('body_digest'),
  },
  (t) => [
    index('_list_snapshots_user').on(t.userId, t.side, t.finishedAt),
    index('_list_snapshots_finished').on(t.finishedAt),
  ],
);

/**
 * Edges that `trawl recheck follows` found to have ended. A decision stands for two complete lists (invariant 7); it is void
 * when the edge is seen later.
 */
export const followDecisions = sqliteTable(
  '_follow_decisions',
  {
    followeeId: key('followee_id', () => users.id),
    followerId: key('follower_id', () => users.id),
    crawlId: key('crawl_id', () => crawls.id),
    /** When its first and its last request were sent. */
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at').notNull(),
    cause: label('cause', ['unfollowed', 'account gone']).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.followeeId, t.followerId, t.crawlId] }),
    index('_follow_decisions_finished').on(t.finishedAt),
  ],
);
