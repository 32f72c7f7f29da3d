import { type AnySQLiteColumn, integer, text } from 'drizzle-orm/sqlite-core';

/** Columns of many tables. */

/** The store's key: a small integer, in order of insertion. */
export const id = () => integer('id').primaryKey();
/** The service's id. */
export const restId = () => text('rest_id').notNull().unique();
export const flag = (name: string) => integer(name, { mode: 'boolean' });
/** A foreign key that is never null. */
export const key = (name: string, to: () => AnySQLiteColumn) => integer(name).notNull().references(to);
