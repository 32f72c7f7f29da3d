import { and, count, eq, getTableColumns, isNull } from 'drizzle-orm';
import { follows, tweets, users, usersSeen } from '../store/schema/tables.ts';
import type { Db } from '../store/sqlite/database.ts';

/** What can be counted of an account, by the column with which its profile reports it. */
export type CountColumn = 'statusesCount' | 'followersCount' | 'followingCount';

/** A count in the store beside the service's own, which may be stale, and counts what no list need show. */
export interface CountPair {
  readonly stored: number;
  /** Null when the service was never seen to say. */
  readonly reported: number | null;
  /** When it said so. */
  readonly reportedAt: number | null;
}

/** How much of what the service reports is stored, 1 for all; null when that is not known. */
export function computeScore({ stored, reported }: Pick<CountPair, 'stored' | 'reported'>): number | null {
  if (reported === null) return null;
  if (reported > 0) return stored / reported;
  return stored === 0 ? 1 : null;
}

const STORED: Readonly<Record<CountColumn, (db: Db, userId: number) => number>> = {
  statusesCount: (db, userId) => db.select({ n: count() }).from(tweets).where(eq(tweets.authorId, userId)).get()!.n,
  followersCount: (db, userId) =>
    db
      .select({ n: count() })
      .from(follows)
      .where(and(eq(follows.followeeId, userId), isNull(follows.ended)))
      .get()!.n,
  followingCount: (db, userId) =>
    db
      .select({ n: count() })
      .from(follows)
      .where(and(eq(follows.followerId, userId), isNull(follows.ended)))
      .get()!.n,
};

/** Undefined when the store does not know the account. */
export function readCountPair(db: Db, restId: string, what: CountColumn): CountPair | undefined {
  const user = db
    .select({ ...getTableColumns(users), summaryAt: usersSeen.summaryAt })
    .from(users)
    .leftJoin(usersSeen, eq(usersSeen.userId, users.id))
    .where(eq(users.restId, restId))
    .get();
  if (!user) return undefined;
  const reported = user[what];
  // Only a profile shows how many tweets there are; a summary shows the others, too.
  const summaryAt = what === 'statusesCount' ? null : user.summaryAt;
  const seenAt = Math.max(summaryAt ?? 0, user.profileAt ?? 0) || null;
  return { stored: STORED[what](db, user.id), reported, reportedAt: reported === null ? null : seenAt };
}
