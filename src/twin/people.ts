import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { follows, users } from '../store/schema.ts';
import type { Position } from './cursors.ts';

const person = {
  id: users.id,
  restId: users.restId,
  screenName: users.screenName,
  name: users.name,
  description: users.description,
  profileImageUrl: users.profileImageUrl,
  verified: users.verified,
  followersCount: users.followersCount,
  followingCount: users.followingCount,
};

export type PersonRow = Pick<typeof users.$inferSelect, keyof typeof person> & { readonly position: number };

/** Which end of an edge is given, which is listed, and in which order: that of the index over the end that is given. */
const ENDS = {
  followers: { given: follows.followeeId, listed: follows.followerId, position: follows.id },
  following: { given: follows.followerId, listed: follows.followeeId, position: follows.followeeId },
};

/** Below every id. */
const START: Position = [0];

/**
 * Reads of lists of edges that have not ended: followers in the order in which they were first seen to follow, those
 * whom somebody follows in the order in which they were first seen at all.
 */
export function createPeopleReads(db: Db) {
  const pageOf = (list: keyof typeof ENDS) => {
    const { given, listed, position } = ENDS[list];
    const statement = db
      .select({ ...person, position })
      .from(follows)
      .innerJoin(users, eq(users.id, listed))
      .where(and(eq(given, sql.placeholder('userId')), gt(position, sql.placeholder('after')), isNull(follows.ended)))
      .orderBy(position)
      .limit(sql.placeholder('limit'))
      .prepare();
    return (userId: number, after: Position = START, limit: number): PersonRow[] =>
      statement.all({ userId, after: after[0], limit });
  };
  return { followers: pageOf('followers'), following: pageOf('following') };
}
