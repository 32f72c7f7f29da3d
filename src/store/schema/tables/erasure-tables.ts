import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { id, key, label } from './columns.ts';

/** Erasures of accounts, also by other databases of a lake, without their names. Rows are never deleted. */
export const erasures = sqliteTable('_erasures', {
  id: id(),
  erasedAt: integer('erased_at').notNull(),
  /** The key of its hashes, a secret: 64 hexadecimal digits, which are hashed as text. */
  key: label('key').notNull(),
  /** The treatment of mentions in the texts of others: `keep`, or `redact`, which replaces the handle. */
  mentions: label('mentions', ['keep', 'redact']).notNull(),
  /** The numbers of removed rows by table, as JSON. */
  removed: label('removed').notNull().default('{}'),
  /** When the freed pages and the write-ahead log were overwritten; null if that was interrupted. */
  finishedAt: integer('finished_at'),
});

/**
 * Tombstones of forgotten accounts: no row with such an id or handle is stored again. The hash is
 * `sha256(key || 'account:' || rest_id)` or `sha256(key || 'handle:' || lower(handle))` in lower-case hexadecimal digits,
 * with the key of their erasure. Rows are never changed or deleted.
 */
export const tombstones = sqliteTable('_tombstones', {
  hash: label('hash').primaryKey(),
  /** The erasure that created it. */
  erasureId: key('erasure_id', () => erasures.id),
});
