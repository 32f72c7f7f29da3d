import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { flag, id } from './columns.ts';

/** What was learnt of the service's endpoints: cursors and page sizes are found out, never assumed. */
export const endpointCapabilities = sqliteTable('_endpoint_capabilities', {
  endpoint: text('endpoint').primaryKey(),
  /** Whether a cursor was seen to lead on: `followed`, or `ignored` when the same page came again. Null: not seen yet. */
  cursorSupport: text('cursor_support'),
  cursorSeenAt: integer('cursor_seen_at'),
  /** The items of the largest page of late, without rejected ones and repetitions. */
  largestPageItems: integer('largest_page_items'),
  largestPageSeenAt: integer('largest_page_seen_at'),
});

/** What token-info said, when it was asked. */
export const quotaSamples = sqliteTable('_quota_samples', {
  id: id(),
  sampledAt: integer('sampled_at').notNull(),
  requestLimit: integer('request_limit').notNull(),
  remaining: integer('remaining').notNull(),
  resetAt: integer('reset_at'),
  /** A hash of the service's address and the API key, never the key. Null: taken before samples had one. */
  keyHash: text('key_hash'),
});

/** Fields that the interface specification does not have, and values in another form than it says. */
export const drift = sqliteTable(
  '_drift',
  {
    endpoint: text('endpoint').notNull(),
    field: text('field').notNull(),
    firstSeenAt: integer('first_seen_at').notNull(),
    lastSeenAt: integer('last_seen_at').notNull(),
    occurrences: integer('occurrences').notNull(),
    sample: text('sample'),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field] })],
);

/**
 * Which fields the service sent, by day (UTC): of the first ten items of a sort on each page, how many had them. And drift
 * by day: on how many pages it was.
 */
export const fieldStatistics = sqliteTable(
  '_field_statistics',
  {
    endpoint: text('endpoint').notNull(),
    /** UTC: `2025-01-31`. */
    day: text('day').notNull(),
    /** The sort of item and the field: `tweet.text`. */
    field: text('field').notNull(),
    /** Flag: a field that the specification does not have, or a value in another form, named as in `_drift`. */
    isDrift: flag('is_drift').notNull(),
    /** Items that were looked at, and those of them that had the field and not null. Of drift, both are pages. */
    inspectedCount: integer('inspected_count').notNull(),
    filledCount: integer('filled_count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.endpoint, t.field, t.isDrift, t.day] })],
);
