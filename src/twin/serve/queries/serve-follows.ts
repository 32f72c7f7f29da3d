import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { follows } from '../../../store/schema/tables.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { compileStatement, limitPlaceholder } from '../../../store/sqlite/statement.ts';
import type { PagePosition } from './served-cursors.ts';
import { createUserEntries } from './user-entries.ts';

/** The given and the listed end of an edge, and the order by the index of the given end. */
const EDGE_COLUMNS = {
  followers: { given: follows.followeeId, listed: follows.followerId, position: follows.id },
  following: { given: follows.followerId, listed: follows.followeeId, position: follows.followeeId },
};

/** Below every id. */
const START: PagePosition = [0];
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Prepares the queries of edges that have not ended: followers in the order in which the edges were stored, followed
 * accounts in the order in which the accounts were stored.
 * @param cacheBytes the size of the cache of listed users
 */
export function createFollowQueries(db: Db, cacheBytes = DEFAULT_CACHE_BYTES) {
  const readEntries = createUserEntries(db, cacheBytes);
  const pageOf = (list: keyof typeof EDGE_COLUMNS) => {
    const { given, listed, position } = EDGE_COLUMNS[list];
    const from = (columns: Record<string, SQL.Aliased>) =>
      db
        .select(columns)
        .from(follows)
        .where(
          and(eq(given, sql.placeholder('userId')), gt(position, sql.placeholder('after')), isNull(follows.endedAt)),
        )
        .orderBy(position)
        .limit(limitPlaceholder('limit'));
    const rows = from({ listed: sql`${listed}`.as('listed'), position: sql`${position}`.as('position') }).as('page');
    const page = compileStatement(
      db.select({ ids: sql`json_group_array(${rows['listed']})`, last: sql`max(${rows['position']})` }).from(rows),
    );
    const findNext = compileStatement(from({ position: sql`${position}`.as('position') }));
    /**
     * Returns the entries (`createUserEntries`) and the start of the next page if there is one. Run it in a transaction.
     */
    return (userId: number, after: PagePosition = START, limit: number) => {
      const [listedIds, last] = page.get({ userId, after: after[0], limit }) as [string, number];
      const ids = JSON.parse(listedIds) as number[];
      // Another row means another page.
      const hasNext = ids.length === limit && findNext.get({ userId, after: last, limit: 1 }) !== undefined;
      return { entries: readEntries(ids), next: hasNext ? [last] : undefined };
    };
  };
  return { followers: pageOf('followers'), following: pageOf('following') };
}
