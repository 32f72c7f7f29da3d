import { sqliteTable } from 'drizzle-orm/sqlite-core';
import { label } from './columns.ts';

/** Properties of the store: its random id, the secret that signs the twin's cursors, and the key of tombstones. */
export const settings = sqliteTable('_settings', { key: label('key').primaryKey(), value: label('value').notNull() });
