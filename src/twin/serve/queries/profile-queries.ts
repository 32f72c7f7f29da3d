import { eq, sql } from 'drizzle-orm';
import type { UserProfile } from '#service/contract/resources.ts';
import { isHolderOf, lastHolderOf } from '#store/last-handle-holder.ts';
import { users, userLastSeen } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement } from '#store/sqlite/statement.ts';
import { countJson, flagJson, objectJson, textJson, timeJson } from './json-text.ts';

export type ServedUser = Pick<typeof users.$inferSelect, 'id' | 'restId' | 'name' | 'screenName'>;

const profile = objectJson<UserProfile>({
  type: textJson(users.type, 'user'),
  userName: textJson(users.screenName),
  url: textJson(users.url),
  id: textJson(users.restId),
  name: textJson(users.name),
  isBlueVerified: flagJson(users.isBlueVerified),
  profilePicture: textJson(users.profileImageUrl),
  coverPicture: textJson(users.coverImageUrl),
  description: textJson(users.description),
  location: textJson(users.location),
  followers: countJson(users.followersCount),
  following: countJson(users.followingCount),
  canDm: flagJson(users.canDm),
  createdAt: timeJson(users.createdAt),
  favouritesCount: countJson(users.favouritesCount),
  hasCustomTimelines: flagJson(users.hasCustomTimelines),
  isTranslator: flagJson(users.isTranslator),
  mediaCount: countJson(users.mediaCount),
  statusesCount: countJson(users.statusesCount),
});

/** Prepares the queries of single users. */
export function createProfileQueries(db: Db) {
  const byRestId = compileStatement(
    db
      .select({ id: users.id, restId: users.restId, name: users.name, screenName: users.screenName })
      .from(users)
      .where(eq(users.restId, sql.placeholder('restId'))),
  );
  // A user known only by reference has no profile to show.
  const isKnown = sql`${users.profileAt} is not null or exists (select 1 from ${userLastSeen}
    where ${userLastSeen.userId} = ${users.id} and ${userLastSeen.lastSummaryAt} is not null)`;
  const selectProfile = () =>
    db.select({ profile: sql`case when ${isKnown} then cast(${profile} as blob) end` }).from(users);
  const screenName = sql.placeholder('screenName');
  // Most names have one holder: sorting one row costs as much as finding it.
  const holders = compileStatement(selectProfile().where(sql`${isHolderOf(screenName)} limit 2`));
  const lastHolder = compileStatement(selectProfile().where(lastHolderOf(screenName)));
  return {
    byRestId(restId: string): ServedUser | undefined {
      const row = byRestId.get({ restId });
      return row && ({ id: row[0], restId: row[1], name: row[2], screenName: row[3] } as ServedUser);
    },
    /** Returns the profile as JSON. */
    profileOf(name: string): Buffer | undefined {
      const found = holders.all({ screenName: name });
      const [json] = (found.length > 1 ? lastHolder.get({ screenName: name }) : found[0]) ?? [];
      return (json ?? undefined) as Buffer | undefined;
    },
  };
}
