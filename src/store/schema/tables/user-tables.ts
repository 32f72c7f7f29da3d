import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { flag, id, key, label, restId, text } from './columns.ts';

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
