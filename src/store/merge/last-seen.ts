import { sql, type SQL } from 'drizzle-orm';
import { users, userLastSeen } from '#store/schema/tables.ts';

/** A time of the user of the outer query, read only if it is needed. */
const timeSubquery = (column: typeof userLastSeen.lastSeenAt | typeof userLastSeen.lastSummaryAt): SQL<number | null> =>
  sql`(select ${column} from ${userLastSeen} where ${userLastSeen.userId} = ${users.id})`;

/** The last time that the user of the outer query was seen in any form. */
export const lastSeenSubquery = timeSubquery(userLastSeen.lastSeenAt);
/** The last time that a summary of the user of the outer query was seen. */
export const lastSummarySubquery = timeSubquery(userLastSeen.lastSummaryAt);
