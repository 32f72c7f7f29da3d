import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { id, key } from './columns.ts';
import { crawls } from './crawls.ts';
import { users } from './users.ts';

/**
 * Who follows whom: one row per edge, its present stretch or the last one. An edge that two complete lists in a row
 * lacked ended between `last_seen_at` and `ended_at`; one that comes back leaves its earlier stretch in `follow_history`.
 */
export const follows = sqliteTable(
  'follows',
  {
    /** In order of arrival: the edges of a page are neighbours (decision 9). */
    id: id(),
    followeeId: key('followee_id', () => users.id),
    followerId: key('follower_id', () => users.id),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    /** When it was gone at the latest: `first_missed_at`, set once a second complete list lacked it too. Null while it stands. */
    endedAt: integer('ended_at'),
    /** When the first complete list that lacked it was at its end; null while it is not missing. */
    firstMissedAt: integer('first_missed_at'),
    /** Where it was last seen: 0 in a list of followers, 1 in a list of those whom somebody follows. */
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

/** Earlier stretches of edges that ended and came back: seen first and last, and lacking by `ended_at`. */
export const followHistory = sqliteTable(
  'follow_history',
  {
    id: id(),
    followeeId: key('followee_id', () => users.id),
    followerId: key('follower_id', () => users.id),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    endedAt: integer('ended_at').notNull(),
  },
  (t) => [
    index('follow_history_followee').on(t.followeeId, t.followerId),
    index('follow_history_follower').on(t.followerId, t.followeeId),
  ],
);

/** Lists of followers and of those followed that were walked from end to end: what is known of edges that are not in one. */
export const listSnapshots = sqliteTable(
  '_list_snapshots',
  {
    crawlId: integer('crawl_id')
      .primaryKey()
      .references(() => crawls.id),
    side: text('side', { enum: ['followers', 'following'] }).notNull(),
    userId: key('user_id', () => users.id),
    startedAt: integer('started_at').notNull(),
    finishedAt: integer('finished_at').notNull(),
    /** How many stored edges it lacked for the first time, and how many it was the second list in a row to lack. */
    missedCount: integer('missed_count').notNull(),
    endedCount: integer('ended_count').notNull(),
    /**
     * Of a list of followed accounts, the digest of its pages' bodies as served. Two lists with the same digest that begin
     * within 24 hours may be copies of one cached answer, and count as one observation. Null where it is not known.
     */
    bodyDigest: text('body_digest'),
  },
  (t) => [index('_list_snapshots_user').on(t.userId, t.side, t.finishedAt)],
);
