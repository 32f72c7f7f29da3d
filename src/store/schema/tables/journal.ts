import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { id, key } from './columns.ts';
import { crawls } from './crawls.ts';

/** The body of every page as it was served, compressed. */
export const rawPages = sqliteTable(
  'raw_pages',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    endpoint: text('endpoint').notNull(),
    parameters: text('parameters').notNull(),
    status: integer('status').notNull(),
    fetchedAt: integer('fetched_at').notNull(),
    /** SHA-256 of the body as it was served. */
    hash: text('hash').notNull(),
    body: blob('body', { mode: 'buffer' }).notNull(),
    /** The body, compressed: with `br` (brotli), or with `deflate` (zlib) where the page is older. */
    encoding: text('encoding', { enum: ['br', 'deflate'] })
      .notNull()
      .default('deflate'),
  },
  (t) => [index('raw_pages_crawl').on(t.crawlId)],
);

/** Every request sent on behalf of a crawl: the account of the quota. */
export const requests = sqliteTable(
  'requests',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    endpoint: text('endpoint').notNull(),
    sentAt: integer('sent_at').notNull(),
    /** HTTP status; null when there was no answer. */
    status: integer('status'),
    durationMs: integer('duration_ms').notNull(),
    responseBytes: integer('response_bytes').notNull(),
    error: text('error'),
  },
  (t) => [index('requests_crawl').on(t.crawlId)],
);

/**
 * What each step of a crawl stored beside its rows, in the order of the store. With `raw_pages` it says how all that was
 * made of pages came about, so that `trawl rebuild` can make it again; where a body is gone, it says what is missing.
 */
export const steps = sqliteTable('_steps', {
  id: id(),
  crawlId: key('crawl_id', () => crawls.id),
  committedAt: integer('committed_at').notNull(),
  /** One letter for each answer: `p` is the page, `b` was beside it (the look-up of a handle), `n` showed nothing. */
  responseRoles: text('response_roles').notNull(),
  /** The first answer's row of `raw_pages`, which the others follow; null where bodies were not kept. */
  firstRawPageId: integer('first_raw_page_id'),
  /** The newest row of `requests` then; null when the step sent none. */
  lastRequestId: integer('last_request_id').references(() => requests.id),
  /**
   * As JSON, the pages that it counted, the target's id where it was new, what it covered or searched and how the crawl ended; or
   * that somebody `steered` it. Null: one page and nothing more.
   */
  outcome: text('outcome'),
});

/** Items that could not be stored, with the reason. */
export const rejects = sqliteTable(
  'rejects',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    /** The page that it is on; null where bodies were not kept. */
    rawPageId: integer('raw_page_id'),
    endpoint: text('endpoint').notNull(),
    path: text('path').notNull(),
    reason: text('reason').notNull(),
    sample: text('sample').notNull(),
    rejectedAt: integer('rejected_at').notNull(),
    /** When the page was read again, and the item could be stored (`trawl rejects retry`). */
    resolvedAt: integer('resolved_at'),
  },
  (t) => [index('rejects_page').on(t.rawPageId), index('rejects_crawl').on(t.crawlId)],
);

/** Values of fields that could not be read, by crawl: their items were stored without them. */
export const droppedFields = sqliteTable(
  '_dropped_fields',
  {
    crawlId: key('crawl_id', () => crawls.id),
    endpoint: text('endpoint').notNull(),
    /** The sort of item and the field: `tweet.created_at`. */
    field: text('field').notNull(),
    reason: text('reason').notNull(),
    /** How many values. */
    occurrences: integer('occurrences').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    /** The first of the values as JSON. */
    sample: text('sample').notNull(),
  },
  (t) => [primaryKey({ columns: [t.crawlId, t.endpoint, t.field, t.reason] })],
);
