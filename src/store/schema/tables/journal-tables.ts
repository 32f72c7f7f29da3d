import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { bytes, id, key, label, text } from './columns.ts';
import { crawls } from './crawl-tables.ts';

/** The compressed body of every page, with the headers of its response. */
export const rawPages = sqliteTable(
  'raw_pages',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    endpoint: label('endpoint').notNull(),
    parameters: text('parameters', 'erased page').notNull(),
    status: integer('status').notNull(),
    fetchedAt: integer('fetched_at').notNull(),
    /** SHA-256 of the uncompressed body. */
    hash: text('hash', 'erased page').notNull(),
    body: bytes('body', 'erased page').notNull(),
    /** The compression: `gzip` as the service sent it, `br` (brotli), or `deflate` (zlib) for older pages. */
    encoding: label('encoding', ['br', 'deflate', 'gzip']).notNull().default('deflate'),
    /**
     * The headers of the response, as JSON: the value of each field, or the values of a repeated one. `(omitted)` is the number
     * of lines that are left out because they may contain secrets, or because all would exceed 4,096 characters. Fields of the
     * connection are left out, too.
     */
    headers: text('headers', 'erased page'),
  },
  (t) => [index('raw_pages_crawl').on(t.crawlId)],
);

/** Every request that was sent for a crawl. */
export const requests = sqliteTable(
  'requests',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    endpoint: label('endpoint').notNull(),
    sentAt: integer('sent_at').notNull(),
    /** HTTP status; null if there was no response. */
    status: integer('status'),
    durationMs: integer('duration_ms').notNull(),
    responseBytes: integer('response_bytes').notNull(),
    error: text('error', 'notes'),
  },
  (t) => [index('requests_crawl').on(t.crawlId)],
);

/**
 * The record of each commit, in order. Together with `raw_pages`, it contains all that `trawl rebuild` needs to derive the
 * tables again, and shows which bodies are missing.
 */
export const steps = sqliteTable(
  '_steps',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id),
    committedAt: integer('committed_at').notNull(),
    /** One letter for each response: `p` for the page, `b` for the look-up of a handle, `n` for a response without rows. */
    responseRoles: label('response_roles').notNull(),
    /** The row of the first response in `raw_pages`, followed by the others; null if bodies are not kept. */
    firstRawPageId: integer('first_raw_page_id'),
    /** The latest row of `requests` at the commit; null if the step sent no request. */
    lastRequestId: integer('last_request_id').references(() => requests.id),
    /**
     * As JSON: the number of pages, the id of the target if it was new, the coverage, the searched window and the end of the
     * crawl; or `steered` for a cancellation or resumption. Null for one page and nothing else.
     */
    outcome: text('outcome', 'json'),
    /** Why bodies of this step are not stored: `erased` (they show a forgotten account), or `pruned`. Null for any other reason. */
    withheld: label('withheld', ['erased', 'pruned']),
  },
  (t) => [
    index('_steps_raw_page')
      .on(t.firstRawPageId)
      .where(sql`first_raw_page_id is not null`),
    // Cancellations and resumptions have no response. They are few.
    index('_steps_without_response')
      .on(t.crawlId)
      .where(sql`response_roles = ''`),
  ],
);

/** The oldest tweet on each body, for bodies that `trawl prune` has read. Bodies are read once. */
export const rawPageTimes = sqliteTable(
  '_raw_page_times',
  {
    rawPageId: integer('raw_page_id').primaryKey(),
    /** When its oldest tweet was created; null if the body shows none. */
    oldestTweetAt: integer('oldest_tweet_at'),
  },
  (t) => [
    index('_raw_page_times_oldest')
      .on(t.oldestTweetAt)
      .where(sql`oldest_tweet_at is not null`),
  ],
);

/** Items that could not be stored, with the reason. */
export const rejects = sqliteTable(
  'rejects',
  {
    id: id(),
    crawlId: key('crawl_id', () => crawls.id, 'crawl key'),
    /** The page with the item; null if bodies are not kept. */
    rawPageId: integer('raw_page_id'),
    endpoint: label('endpoint').notNull(),
    path: label('path').notNull(),
    reason: label('reason').notNull(),
    sample: text('sample', 'sample').notNull(),
    rejectedAt: integer('rejected_at').notNull(),
    /** When the item was stored after all, by `trawl rebuild --rejects`. */
    resolvedAt: integer('resolved_at'),
  },
  (t) => [index('rejects_page').on(t.rawPageId), index('rejects_crawl').on(t.crawlId)],
);

/** Field values that could not be read, by crawl. Their items were stored without them. */
export const droppedFields = sqliteTable(
  '_dropped_fields',
  {
    crawlId: key('crawl_id', () => crawls.id, 'crawl key'),
    endpoint: label('endpoint').notNull(),
    /** The item type and the field: `tweet.created_at`. */
    field: label('field').notNull(),
    reason: label('reason').notNull(),
    /** The number of values. */
    occurrences: integer('occurrences').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    /** The first value, as JSON. */
    sample: text('sample', 'sample').notNull(),
  },
  (t) => [primaryKey({ columns: [t.crawlId, t.endpoint, t.field, t.reason] })],
);
