import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { label } from './columns.ts';

/** Properties of the store: its random id, the secret that signs the twin's cursors, and the key of tombstones. */
export const settings = sqliteTable('_settings', { key: label('key').primaryKey(), value: label('value').notNull() });

/** Rows whose changed text was indexed as written. Their words are indexed when a crawl ends or pauses. */
export const searchUpdates = sqliteTable(
  '_search_updates',
  {
    /** The table of the row. */
    relation: label('relation', ['tweets', 'users']).notNull(),
    /** The `id` of the row. */
    rowId: integer('row_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.relation, t.rowId] })],
);
