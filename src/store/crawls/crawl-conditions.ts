import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { crawlTree, crawls } from '../schema/tables.ts';
import { bound } from '../sqlite/statement.ts';

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
