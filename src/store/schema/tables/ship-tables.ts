import { integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { id, label, text } from './columns.ts';

/** Where facts are shipped to. */
export const shipTargets = sqliteTable('_ship_targets', {
  id: id(),
  /** The absolute path of a folder, or `s3://bucket/prefix`. */
  address: label('address').notNull().unique(),
  addedAt: integer('added_at').notNull(),
  /** Crawls pause when more bytes of facts wait for this target. */
  maxBacklogBytes: integer('max_backlog_bytes').notNull(),
  /** The last entry that the target has; null before its snapshot. */
  shippedEntry: integer('shipped_entry'),
  shippedAt: integer('shipped_at'),
  /** The sum of bytes of all entries up to the last shipped one. */
  shippedBytes: integer('shipped_bytes').notNull(),
  /** A digest of all entries up to the last shipped one; that of the snapshot while it is shipped. */
  shippedDigest: label('shipped_digest'),
});

/**
 * Facts that wait to be shipped, recorded in the transaction of their page, while there is a target. An entry is
 * deleted when all targets have it.
 */
export const shipOutbox = sqliteTable('_ship_outbox', {
  /** Never given again. */
  id: integer('id').primaryKey({ autoIncrement: true }),
  recordedAt: integer('recorded_at').notNull(),
  crawlId: integer('crawl_id'),
  /** The facts by table, as JSON (src/lake/facts). */
  facts: text('facts', 'facts').notNull(),
  /** The sum of the bytes of this entry and all before it. */
  totalBytes: integer('total_bytes').notNull(),
});
