import { sql, type SQL } from 'drizzle-orm';
import { users, usersSeen } from '../schema/tables.ts';

/** The last time that the user of the outer query was seen in any form. */
export const lastSeenSubquery: SQL = sql`(select ${usersSeen.seenAt} from ${usersSeen} where ${usersSeen.userId} = ${users.id})`;
