import { integer, primaryKey, sqliteTable } from 'drizzle-orm/sqlite-core';
import { flag, id, label, text } from './columns.ts';

/** Observed properties of endpoints: cursors and page sizes. */
export const endpointCapabilities = sqliteTable('_endpoint_capabilities', {
  endpoint: label('endpoint').primaryKey(),
  /**
   * `followed` if a cursor returned the next page; `ignored` if it returned the same page for two accounts, and worked for
   * none between them. Null if unknown.
   */
  cursorSupport: label('cursor_support', ['followed', 'ignored']),
  /** When that was seen, or when a crawl asked again. */
  cursorSeenAt: integer('cursor_seen_at'),
  /** The items of the largest recent page, without rejected and repeated ones. */
  largestPageItems: integer('largest_page_items'),
  largestPageSeenAt: integer('largest_page_seen_at'),
});

/** Findings about endpoints, by account: hints that a list continues, incomplete responses, ignored cursors, 404s. */
export const endpointFindings = sqliteTable(
  '_endpoint_findings',
  {
    endpoint: label('endpoint').notNull(),
    /** `hint` and the path of its key; `incomplete`; `cursor ignored`; or `not found` since the last page. */
    finding: label('finding').notNull(),
    /** A digest of the account or of another target. */
    account: label('account').notNull(),
    /** Of a hint: `first_page` or `none` (no new items). Of an incomplete response: its sign. Of a 404: `gone`. */
    outcome: label('outcome').notNull(),
    seenAt: integer('seen_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.finding, t.account] })],
);

/** Responses of token-info. */
export const quotaSamples = sqliteTable('_quota_samples', {
  id: id(),
  sampledAt: integer('sampled_at').notNull(),
  requestLimit: integer('request_limit').notNull(),
  remaining: integer('remaining').notNull(),
  resetAt: integer('reset_at'),
  /** A hash of the service's address and the API key, never the key. Null in samples of early versions. */
  keyHash: label('key_hash'),
});

/** Fields that the interface specification does not define, and values whose form differs from it. */
export const drift = sqliteTable(
  '_drift',
  {
    endpoint: label('endpoint').notNull(),
    field: label('field').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    occurrences: integer('occurrences').notNull(),
    sample: text('sample', 'sample'),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field] })],
);

/**
 * The fields that the service sent, by day (UTC): how many of the first ten items of each type on a page had them. Also
 * the number of pages with drift, by day.
 */
export const fieldStatistics = sqliteTable(
  '_field_statistics',
  {
    /** The endpoint. */
    endpoint: label('endpoint').notNull(),
    /** UTC: `2025-01-31`. */
    day: label('day').notNull(),
    /** The item type and the field: `tweet.text`. */
    field: label('field').notNull(),
    /** Flag: drift, with the field named as in `_drift`. */
    isDrift: flag('is_drift').notNull(),
    /** The number of inspected items; for drift, of pages with it. */
    inspectedCount: integer('inspected_count').notNull(),
    /** The number of these items with a value other than null. */
    filledCount: integer('filled_count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field, t.isDrift, t.day] })],
);
