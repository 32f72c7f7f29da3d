import { sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Facts about the store itself: its random identity, and the secret that signs the twin's cursors. */
export const settings = sqliteTable('_settings', { key: text('key').primaryKey(), value: text('value').notNull() });
