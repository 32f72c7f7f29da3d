import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { id, key, label, text } from './columns.ts';
import { crawls } from './crawl-tables.ts';

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
  /** The digest of the last shipped entry; that of the snapshot while it is shipped. */
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
  /** The facts by table, as JSON (store/outbox/fact-tables.ts). */
  facts: text('facts', 'facts').notNull(),
  /** The sum of the bytes of this entry and all before it. */
  totalBytes: integer('total_bytes').notNull(),
});

/** The databases of a lake that were merged into this one. */
export const mergedStores = sqliteTable('_merged_stores', {
  id: id(),
  /** The id of the database. */
  store: label('store').notNull().unique(),
  /** Its last entry that is here, and when that was recorded. */
  entry: integer('entry').notNull(),
  recordedAt: integer('recorded_at').notNull(),
});

/** The crawls of merged databases, by their numbers there. */
export const mergedCrawls = sqliteTable(
  '_merged_crawls',
  {
    storeId: key('store_id', () => mergedStores.id).notNull(),
    number: integer('number').notNull(),
    crawlId: key('crawl_id', () => crawls.id).notNull(),
  },
  (t) => [primaryKey({ columns: [t.storeId, t.number] })],
);
