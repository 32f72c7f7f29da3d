import { sql } from 'drizzle-orm';
import { rawPages } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound } from '../sqlite/statement.ts';

/**
 * Deletes expired bodies among the `most` oldest ones, and returns their number. Bodies are almost in order of time, so
 * that later calls find the rest. The newest body stays, so that its id is not reused. Steps stay, too.
 */
export function prepareBodyExpiry(db: Db): (before: number, most: number) => number {
  const remove = db
    .delete(rawPages)
    .where(
      sql`${rawPages.id} in (
        select id from (select id, fetched_at from ${rawPages} order by id limit ${bound.most})
        where fetched_at < ${bound.before}) and ${rawPages.id} < (select max(id) from ${rawPages})`,
    )
    .prepare();
  return (before, most) => remove.run({ before, most }).changes;
}
