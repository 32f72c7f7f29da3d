import { sql, type SQL } from 'drizzle-orm';
import { users, userLastSeen } from '../schema/tables.ts';

/** The last time that the user of the outer query was seen in any form. */
export const lastSeenSubquery: SQL = sql`(select ${userLastSeen.lastSeenAt} from ${userLastSeen} where ${userLastSeen.userId} = ${users.id})`;
