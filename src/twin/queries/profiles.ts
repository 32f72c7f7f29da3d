import { eq, sql } from 'drizzle-orm';
import type { UserProfile } from '../../contract/resources.ts';
import { lastSeen } from '../../store/merge/last-seen.ts';
import { users, usersSeen } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { compile } from '../../store/sqlite/statement.ts';
import { count, flag, jsonText, text, time } from './json-text.ts';

/** Whoever had a name last: accounts get renamed, and names get used again. */
export const lastHolderOf = (screenName: unknown) => sql`${users.screenName} = ${screenName} collate nocase
  order by ${lastSeen} desc, ${users.profileAt} desc, ${users.id} desc limit 1`;

/** Whose list something is. */
export type UserRow = Pick<typeof users.$inferSelect, 'id' | 'restId' | 'name' | 'screenName'>;

const profile = jsonText<UserProfile>({
  type: text(users.type, 'user'),
  userName: text(users.screenName),
  url: text(users.url),
  id: text(users.restId),
  name: text(users.name),
  isBlueVerified: flag(users.isBlueVerified),
  profilePicture: text(users.profileImageUrl),
  coverPicture: text(users.coverImageUrl),
  description: text(users.description),
  location: text(users.location),
  followers: count(users.followersCount),
  following: count(users.followingCount),
  canDm: flag(users.canDm),
  createdAt: time(users.createdAt),
  favouritesCount: count(users.favouritesCount),
  hasCustomTimelines: flag(users.hasCustomTimelines),
  isTranslator: flag(users.isTranslator),
  mediaCount: count(users.mediaCount),
  statusesCount: count(users.statusesCount),
});

/** Reads of single users. */
export function createProfileReads(db: Db) {
  const byRestId = compile(
    db,
    db
      .select({ id: users.id, restId: users.restId, name: users.name, screenName: users.screenName })
      .from(users)
      .where(eq(users.restId, sql.placeholder('restId'))),
  );
  // Of somebody known by reference only there is no profile to show yet.
  const isKnown = sql`${users.profileAt} is not null or exists (select 1 from ${usersSeen}
    where ${usersSeen.userId} = ${users.id} and ${usersSeen.summaryAt} is not null)`;
  const byScreenName = compile(
    db,
    db
      .select({ profile: sql`case when ${isKnown} then cast(${profile} as blob) end` })
      .from(users)
      .where(lastHolderOf(sql.placeholder('screenName'))),
  );
  return {
    byRestId(restId: string): UserRow | undefined {
      const row = byRestId.get({ restId });
      return row && ({ id: row[0], restId: row[1], name: row[2], screenName: row[3] } as UserRow);
    },
    /** The profile's JSON. */
    profileOf: (screenName: string) => (byScreenName.get({ screenName })?.[0] ?? undefined) as Buffer | undefined,
  };
}
