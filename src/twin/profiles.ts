import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { lastSeen } from '../store/last-seen.ts';
import { users, usersSeen } from '../store/schema.ts';

/** Whoever had a name last: accounts get renamed, and names get used again. */
export const lastHolderOf = (screenName: unknown) => sql`${users.screenName} = ${screenName} collate nocase
  order by ${lastSeen} desc, ${users.profileAt} desc, ${users.id} desc limit 1`;

/** Reads of single users. */
export function createProfileReads(db: Db) {
  const byRestId = db
    .select()
    .from(users)
    .where(eq(users.restId, sql.placeholder('restId')))
    .prepare();
  const byScreenName = db
    .select({ ...getTableColumns(users), summaryAt: usersSeen.summaryAt })
    .from(users)
    .leftJoin(usersSeen, eq(usersSeen.userId, users.id))
    .where(lastHolderOf(sql.placeholder('screenName')))
    .prepare();
  return {
    byRestId: (restId: string) => byRestId.get({ restId }),
    byScreenName: (screenName: string) => byScreenName.get({ screenName }),
  };
}
