import { count, type SQL } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Db } from '#store/sqlite/database.ts';

/** Returns the number of rows of a table that match a condition. */
export const countRows = (db: Db, table: SQLiteTable, condition?: SQL): number =>
  db.select({ n: count() }).from(table).where(condition).get()!.n;
