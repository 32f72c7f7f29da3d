import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { crawlTree, crawls } from '#store/schema/tables.ts';
import { bound } from '#store/sqlite/statement.ts';

/** A condition on the identity of a crawl. Bind `kind`, `target` and `options`. */
export const hasIdentity = and(
  eq(crawls.kind, bound.kind),
  eq(crawls.target, bound.target),
  eq(crawls.options, bound.options),
);

/** A condition on ids, which are bound as one value: SQLite binds 32,766 values at most. */
export const isAmongIds = (column: SQLiteColumn, ids: readonly number[]): SQL =>
  sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`;

/** A condition on crawls and their descendants. */
export const isInTrees = (ids: readonly number[]): SQL =>
  or(
    isAmongIds(crawls.id, ids),
    sql`${crawls.id} in (select ${crawlTree.descendantId} from ${crawlTree} where ${isAmongIds(crawlTree.rootId, ids)})`,
  )!;

/**
 * SQL: a later crawl repeats the crawl `c`, or has stored its whole list: an equal one, or one of the same list without options
 * that succeeded. Without its child crawls, a snowball is not replaced.
 */
export const IS_REPLACED = `(${[
  'later.target = c.target and later.options = c.options',
  ...['later.target = c.target', 'later.target_rest_id = c.target_rest_id'].map(
    (isOfTarget) =>
      `${isOfTarget} and later.options = '{}' and later.state in ('complete', 'capped') and c.options ->> 'then' is null`,
  ),
]
  .map(
    (condition) => `exists (select 1 from crawls later where later.id > c.id and later.kind = c.kind and ${condition})`,
  )
  .join(' or ')})`;
