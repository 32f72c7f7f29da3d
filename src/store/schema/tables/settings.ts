import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Properties of the store: its random id, the secret that signs the twin's cursors, and the key of tombstones. */
export const settings = sqliteTable('_settings', { key: text('key').primaryKey(), value: text('value').notNull() });
