import { and, eq, getTableColumns, isNotNull } from 'drizzle-orm';
import { OWNER_COLUMN } from '../store/schema/edge-sides.ts';
import { follows, tweets, users, userLastSeen } from '../store/schema/tables.ts';
import type { Db } from '../store/sqlite/database.ts';
import { countRows } from './count-rows.ts';

/** The columns of an account that hold a count which its profile reports. */
export type AccountCountColumn = 'statusesCount' | 'followersCount' | 'followingCount';

/** The number of stored rows, and the count that the service reports. The latter may be stale, and includes rows that lists hide. */
export interface CountPair {
  readonly stored: number;
  /** Null if the service never reported it. */
  readonly reported: number | null;
  /** The time of the report, in milliseconds UTC. */
  readonly reportedAt: number | null;
}

/** The stored share of the reported count, 1 for all of it; null if it is unknown. */
export function computeScore({ stored, reported }: Pick<CountPair, 'stored' | 'reported'>): number | null {
  if (reported === null) return null;
  if (reported > 0) return stored / reported;
  return stored === 0 ? 1 : null;
}

const STORED: Readonly<Record<AccountCountColumn, (db: Db, userId: number) => number>> = {
  statusesCount: (db, userId) => countRows(db, tweets, eq(tweets.authorId, userId)),
  followersCount: (db, userId) => countCurrentEdges(db, 'followers', userId),
  followingCount: (db, userId) => countCurrentEdges(db, 'following', userId),
};

/** Counts all edges in an index, and subtracts those that ended, which were missed before: a list may have millions. */
function countCurrentEdges(db: Db, side: keyof typeof OWNER_COLUMN, userId: number): number {
  const isOwned = eq(OWNER_COLUMN[side], userId);
  const hasEnded = and(isOwned, isNotNull(follows.firstMissedAt), isNotNull(follows.endedAt));
  return countRows(db, follows, isOwned) - countRows(db, follows, hasEnded);
}

/** Returns undefined if the account is not in the store. */
export function readCountPair(db: Db, restId: string, what: AccountCountColumn): CountPair | undefined {
  const user = db
    .select({ ...getTableColumns(users), summaryAt: userLastSeen.lastSummaryAt })
    .from(users)
    .leftJoin(userLastSeen, eq(userLastSeen.userId, users.id))
    .where(eq(users.restId, restId))
    .get();
  if (!user) return undefined;
  const reported = user[what];
  // Only a profile has the number of tweets; a summary has the other counts.
  const summaryAt = what === 'statusesCount' ? null : user.summaryAt;
  const seenAt = Math.max(summaryAt ?? 0, user.profileAt ?? 0) || null;
  return { stored: STORED[what](db, user.id), reported, reportedAt: reported === null ? null : seenAt };
}
