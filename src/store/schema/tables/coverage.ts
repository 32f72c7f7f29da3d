import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { id, key } from './columns.ts';
import { crawls } from './crawls.ts';

/**
 * What is known complete of lists in order of time: intervals that were walked without a gap, merged. One claims what is
 * strictly between its newest and its oldest item, and with a `list_end` all that is older than its newest.
 */
export const coverage = sqliteTable(
  'coverage',
  {
    id: id(),
    kind: text('kind').notNull(),
    /** The account's id, or the community's. */
    target: text('target').notNull(),
    newestRestId: text('newest_rest_id').notNull(),
    newestAt: integer('newest_at').notNull(),
    oldestRestId: text('oldest_rest_id').notNull(),
    oldestAt: integer('oldest_at').notNull(),
    /** The list ends here: `served` (the service said so) or `inferred` (from empty pages). Null: a gap is below. */
    listEnd: text('list_end', { enum: ['served', 'inferred'] }),
    /** The crawl that extended it last, and how many pages and items were new to it when walked. */
    crawlId: key('crawl_id', () => crawls.id),
    pages: integer('pages').notNull(),
    items: integer('items').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('coverage_list').on(t.kind, t.target, t.newestAt)],
);

/** Gaps: what is not known of lists in order of time, below each interval that does not reach the list's end. */
export const gaps = sqliteTable(
  'gaps',
  {
    id: id(),
    kind: text('kind').notNull(),
    target: text('target').notNull(),
    /** The interval above it. */
    coverageId: integer('coverage_id')
      .unique()
      .references(() => coverage.id),
    /** From the oldest item above it to the newest below; null when nothing is known below. Both may have neighbours. */
    newerRestId: text('newer_rest_id').notNull(),
    newerAt: integer('newer_at').notNull(),
    olderRestId: text('older_rest_id'),
    olderAt: integer('older_at'),
    /**
     * `open` (a crawl is to go on here), `interrupted`, `max_pages`, `max_requests`, `since` (older items were not wanted), `one_page`,
     * `rejected_items` (asking again does not help), `out_of_order`, `saturated` (a day of a search that hides more than
     * a page shows, from its first moment to its last), or a fault of the cursor: `cursor_refused`, …
     */
    reason: text('reason').notNull(),
    /** The crawl that stopped here: its cursor may lead on. */
    crawlId: key('crawl_id', () => crawls.id),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('gaps_list').on(t.kind, t.target, t.newerAt), index('gaps_crawl').on(t.crawlId)],
);

/**
 * Stretches of time that searches were asked about. What they showed of them was seen; nothing is proven: search is sorted
 * by relevance. A day that hides more than a page shows is a row of `gaps` beside it, `saturated`.
 */
export const searchWindows = sqliteTable(
  '_search_windows',
  {
    id: id(),
    /** The search string without the dates, as it is the target of the crawls. */
    query: text('query').notNull(),
    fromAt: integer('from_at').notNull(),
    /** Its end, left out: no later than when it was asked for. */
    toAt: integer('to_at').notNull(),
    searchedAt: integer('searched_at').notNull(),
    crawlId: key('crawl_id', () => crawls.id),
  },
  (t) => [uniqueIndex('_search_windows_window').on(t.query, t.fromAt, t.toAt)],
);
