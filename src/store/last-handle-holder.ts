import { type SQL, sql } from 'drizzle-orm';
import { lastSeenSubquery } from './merge/last-seen.ts';
import { users } from './schema/tables.ts';

/** The condition that an account has a handle, in any case of ASCII letters. */
export const isHolderOf = (screenName: unknown): SQL => sql`${users.screenName} = ${screenName} collate nocase`;

/** Selects the last holder of a handle: accounts get renamed, and handles are reused. */
export const lastHolderOf = (screenName: unknown): SQL => sql`${isHolderOf(screenName)}
  order by ${lastSeenSubquery} desc, ${users.profileAt} desc, ${users.id} desc limit 1`;
