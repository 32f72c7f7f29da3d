import { sql } from 'drizzle-orm';
import { rawPages } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound } from '../sqlite/statement.ts';

/**
 * Lets the oldest bodies go, but for the newest of all: a key is not given twice. Bodies are in order of time but for what
 * several workers had under way: so many are looked at from the oldest on, and what lies behind goes when they have gone.
 * Their steps stay, and say what is missing.
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
