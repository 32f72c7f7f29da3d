import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { id, key, label } from './columns.ts';
import { crawls } from './crawl-tables.ts';
import { users } from './user-tables.ts';

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
