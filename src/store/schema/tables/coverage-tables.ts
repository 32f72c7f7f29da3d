import { index, integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { flag, id, key, label, text } from './columns.ts';
import { crawls } from './crawl-tables.ts';

/**
 * Intervals of time-ordered lists that are stored without a gap. An interval covers the items strictly between its newest
 * and its oldest item and, with a `list_end`, all items older than its newest.
 */
export const coverage = sqliteTable(
  'coverage',
  {
    id: id(),
    /** timeline, replies or community. */
    kind: label('kind').notNull(),
    /** The id of the account or community. */
    target: text('target', 'list target').notNull(),
    /** The id of its newest item. */
    newestRestId: text('newest_rest_id', 'item id').notNull(),
    /** The time of its newest item. Other items of the same instant may be missing. */
    newestAt: integer('newest_at').notNull(),
    /** The id of its oldest item. */
    oldestRestId: text('oldest_rest_id', 'item id').notNull(),
    /** The time of its oldest item. Other items of the same instant may be missing. */
    oldestAt: integer('oldest_at').notNull(),
    /** The end of the list: `served` (by the service) or `inferred` (from empty pages). Null if a gap follows. */
    listEnd: label('list_end', ['served', 'inferred']),
    /** The crawl that extended it last. */
    crawlId: key('crawl_id', () => crawls.id),
    /** Pages of the interval, including pages that are only partly in it. */
    pages: integer('pages').notNull(),
    /** Items on these pages. */
    items: integer('items').notNull(),
    createdAt: integer('created_at').notNull(),
    /** When it was last extended. */
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('coverage_list').on(t.kind, t.target, t.newestAt)],
);

/** Gaps of time-ordered lists: one below each interval that does not reach the end of its list. */
export const gaps = sqliteTable(
  'gaps',
  {
    id: id(),
    /** timeline, replies or community; search for a day with more tweets than a page shows. */
    kind: label('kind').notNull(),
    /** The id of the account or community; the search string. */
    target: text('target', 'list target').notNull(),
    /** The interval above the gap. */
    coverageId: integer('coverage_id')
      .unique()
      .references(() => coverage.id),
    /** The oldest item of the interval above. */
    newerRestId: text('newer_rest_id', 'item id').notNull(),
    /** The oldest time of the interval above. */
    newerAt: integer('newer_at').notNull(),
    /** The newest item of the interval below. */
    olderRestId: text('older_rest_id', 'item id'),
    /** The newest time of the interval below; null if there is none. */
    olderAt: integer('older_at'),
    /**
     * `open` (a crawl continues here), `interrupted`, `max_pages`, `max_requests`, `since` (older items were not
     * requested), `one_page`, `rejected_items` (another request does not help), `out_of_order`, `saturated` (a day of a
     * search with more tweets than a page shows), or an error of the cursor: `cursor_refused` and so on.
     */
    reason: label('reason').notNull(),
    /** The crawl that stopped here. Its cursor may still work. */
    crawlId: key('crawl_id', () => crawls.id),
    /** When the gap last changed. */
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [index('gaps_list').on(t.kind, t.target, t.newerAt), index('gaps_crawl').on(t.crawlId)],
);

/**
 * Time ranges that were searched. They are no evidence of completeness, since a search is sorted by relevance. A day with
 * more tweets than a page shows is also a row of `gaps` with the reason `saturated`.
 */
export const searchWindows = sqliteTable(
  '_search_windows',
  {
    id: id(),
    /** The search string without dates: the target of the crawls. */
    query: text('query', 'query').notNull(),
    /** The begin of the range. */
    fromAt: integer('from_at').notNull(),
    /** The end of the range, exclusive; not later than the request. */
    toAt: integer('to_at').notNull(),
    /** When it was searched. */
    searchedAt: integer('searched_at').notNull(),
    /** The crawl that searched it. */
    crawlId: key('crawl_id', () => crawls.id),
  },
  (t) => [uniqueIndex('_search_windows_window').on(t.query, t.fromAt, t.toAt)],
);

/**
 * Parts of lists whose items were removed by `trawl prune` or by the retention of a job. They are not missing, since crawls
 * had stored them, and not complete. A crawl that reads a part again removes it from here. Coverage stays as it was, so that
 * incremental crawls do not fetch pruned items again.
 */
export const prunedRanges = sqliteTable(
  'pruned_ranges',
  {
    id: id(),
    /** The kind of the list. */
    kind: label('kind').notNull(),
    /** The id of the account, tweet, community or list, or the search string without dates. */
    target: text('target', 'list target').notNull(),
    /** When the oldest removed item was created; null for lists of accounts. */
    oldestAt: integer('oldest_at'),
    /** When the newest removed item was created; null for lists of accounts. */
    newestAt: integer('newest_at'),
    /** Removed items. One that was crawled and removed again counts twice. */
    items: integer('items').notNull(),
    /** When items were removed last. */
    prunedAt: integer('pruned_at').notNull(),
    pruneId: key('prune_id', () => prunes.id),
  },
  (t) => [uniqueIndex('pruned_ranges_list').on(t.kind, t.target)],
);

/** Runs of `trawl prune`, and of the retention of jobs. */
export const prunes = sqliteTable(
  '_prunes',
  {
    id: id(),
    /** The scope of the prune: raw bodies, tweets with the bodies that show them, or everything of a job. */
    scope: label('scope', ['bodies', 'tweets', 'job']).notNull(),
    /** The job whose rows were pruned; null for those of all. */
    jobName: label('job_name'),
    /** Flag: the retention of the job, not a command. */
    isRetention: flag('is_retention').notNull(),
    /** Items before this time were removed; null for all. */
    olderThan: integer('older_than'),
    /** The numbers of removed rows by table, as JSON, and the bytes of bodies, compressed. */
    removed: label('removed').notNull().default('{}'),
    bodyBytes: integer('body_bytes').notNull().default(0),
    startedAt: integer('started_at').notNull(),
    /** Null while it is unfinished, or if it was interrupted: the next one continues. */
    finishedAt: integer('finished_at'),
  },
  (t) => [index('_prunes_job').on(t.jobName, t.scope)],
);
