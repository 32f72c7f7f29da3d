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

export type PersonRow = Pick<typeof users.$inferSelect, keyof typeof person>;

/** Which end of an edge is given, and which is listed. */
const ENDS = {
  followers: { given: follows.followeeId, listed: follows.followerId },
  following: { given: follows.followerId, listed: follows.followeeId },
};

/** Below every id. */
const START: Position = [0];

/** Reads of follower and following lists: edges that have not ended, in the order in which the people were first seen. */
export function createPeopleReads(db: Db) {
  const pageOf = (list: keyof typeof ENDS) => {
    const { given, listed } = ENDS[list];
    const statement = db
      .select(person)
      .from(follows)
      .innerJoin(users, eq(users.id, listed))
      .where(and(eq(given, sql.placeholder('userId')), gt(listed, sql.placeholder('after')), isNull(follows.ended)))
      .orderBy(listed)
      .limit(sql.placeholder('limit'))
      .prepare();
    return (userId: number, after: Position = START, limit: number): PersonRow[] =>
      statement.all({ userId, after: after[0], limit });
  };
  return { followers: pageOf('followers'), following: pageOf('following') };
}
