import { sql, type SQL } from 'drizzle-orm';
import { users, usersSeen } from '../schema/tables.ts';

/** When a user of the query around was last seen in any form. */
export const lastSeenSubquery: SQL = sql`(select ${usersSeen.seenAt} from ${usersSeen} where ${usersSeen.userId} = ${users.id})`;
