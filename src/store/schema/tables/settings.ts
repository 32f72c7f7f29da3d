import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Properties of the store: its random id, and the secret that signs the twin's cursors. */
export const settings = sqliteTable('_settings', { key: text('key').primaryKey(), value: text('value').notNull() });
