import { sql } from 'drizzle-orm';
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { id, key, label, text } from './columns.ts';
import { CRAWL_STATES } from './crawl-states.ts';

/** Crawls: the request, the progress and the end. `finished_at` is null while a crawl is unfinished. */
export const crawls = sqliteTable(
  'crawls',
  {
    id: id(),
    /** The kind of the crawl: profile, timeline, followers and so on. */
    kind: label('kind').notNull(),
    /** The account, tweet, community, list or query. */
    target: text('target', 'erased crawl').notNull(),
    /** Limits and other options, as JSON. */
    options: text('options', 'json').notNull(),
    /** interactive, scheduled or backfill. */
    priority: label('priority', PRIORITIES).notNull(),
    /** The crawl that created this one. */
    parentId: integer('parent_id').references((): AnySQLiteColumn => crawls.id),
    /** The top of the crawl tree. */
    rootId: integer('root_id').references((): AnySQLiteColumn => crawls.id),
    /** queued, running, paused, complete (there is evidence that all is stored), capped (all that the service shows is stored; more may exist), partial, failed or cancelled. */
    state: label('state', CRAWL_STATES).notNull(),
    /**
     * Why it is partial or failed; while it is paused: `quota`, `refused` (429), `outage` (of the service), `disk`, `budget`,
     * `retry` (requests of this crawl fail, others succeed), `unauthorized`.
     */
    reason: label('reason'),
    /**
     * The end of the list: `served` (no next cursor), `one_page` (no next cursor, and the endpoint documents none),
     * `inferred` (empty pages), `since`, `joined` (the rest is already covered down to a served end or to `--since`),
     * `joined_inferred` (the same, down to an inferred end), or `halved` (a search that was split into two windows).
     */
    ending: label('ending'),
    /** The message of the last error. */
    error: text('error', 'notes'),
    /** The service's id of the target account; null until it is known. A crawl by id has it from the start. */
    targetRestId: text('target_rest_id', 'erased crawl'),
    /** The cursor of the next page; null at the start. */
    cursor: text('cursor', 'notes'),
    /** The rest of the checkpoint as JSON, such as the state of cycle detection: `service/kinds/checkpoint.ts` has its keys. */
    checkpoint: text('checkpoint', 'json'),
    /** Stored pages. */
    pages: integer('pages').notNull().default(0),
    /** Items on these pages. */
    items: integer('items').notNull().default(0),
    /** Items that were not in the store before. */
    newItems: integer('new_items').notNull().default(0),
    /** Items that could not be read: see `rejects`. */
    rejectedItems: integer('rejected_items').notNull().default(0),
    /** Requests sent, including failed ones. */
    requests: integer('requests').notNull().default(0),
    /** Consecutive failures since the last page. */
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    /** The fencing token: only the worker with the newest one may commit. */
    leaseToken: integer('lease_token').notNull().default(0),
    /** The `trawl crawl` run with a soft lock on this crawl. */
    lockedBy: label('locked_by'),
    /** The end of the soft lock. */
    lockExpiresAt: integer('lock_expires_at'),
    /** The end of a pause. */
    resumeAt: integer('resume_at'),
    /** When it was created. */
    createdAt: integer('created_at').notNull(),
    /** When a worker first took it. */
    startedAt: integer('started_at'),
    /** When it last changed. */
    updatedAt: integer('updated_at').notNull(),
    /** When it ended; null while it is unfinished. */
    finishedAt: integer('finished_at'),
    /** Items of the last page. The pages before it are full, so that the other items show the page size. */
    lastPageItems: integer('last_page_items'),
    /** The estimate of requests at its creation, descendants included: minimum, expected value and maximum. */
    plannedRequestsMin: integer('planned_requests_min'),
    /** The expected requests. */
    plannedRequestsExpected: integer('planned_requests_expected'),
    /** The most requests. */
    plannedRequestsMax: integer('planned_requests_max'),
    /** The run of a job or command that this crawl belongs to; crawls of one run share its budget. */
    runId: integer('run_id').references(() => runs.id),
    /** The handle of the target as typed, or as the service spells it; `target` has it in lower case. */
    handle: text('handle', 'erased crawl'),
    /**
     * The maximum of requests that its worker has sent and not yet recorded. The lease sets it, and the release or the end
     * of the crawl resets it to 0. A cancelled crawl keeps it until its worker has reported.
     */
    inFlightRequests: integer('in_flight_requests').notNull().default(0),
    /** The sum of `in_flight_requests` of killed workers: the maximum of requests that are not recorded. */
    unknownRequests: integer('unknown_requests').notNull().default(0),
    /** Changed users and tweets, ended edges and deleted tweets that it found. */
    changes: integer('changes').notNull().default(0),
    /** For a snowball with a limit of accounts: the latest run that requested it, whose snowballs share the limit. */
    targetLimitRunId: integer('target_limit_run_id').references(() => runs.id),
    /** Items of its pages that are not stored, since they belong to forgotten accounts. They are no rejects. */
    erasedItems: integer('erased_items').notNull().default(0),
  },
  (t) => [
    index('crawls_target').on(t.kind, t.target),
    index('crawls_in_flight_requests')
      .on(t.runId)
      .where(sql`in_flight_requests > 0`),
    index('crawls_unknown_requests')
      .on(t.unknownRequests)
      .where(sql`unknown_requests > 0`),
    index('crawls_run')
      .on(t.runId)
      .where(sql`run_id is not null and parent_id is null`),
    uniqueIndex('crawls_unfinished')
      .on(t.kind, t.target, t.options)
      .where(sql`finished_at is null`),
    index('crawls_pending')
      .on(t.id)
      .where(sql`finished_at is null`),
    // All that lists of crawls are filtered by, so that counting it reads no rows. It changes at the ends of crawls, not by page.
    index('crawls_state').on(t.state, t.kind, t.reason, t.priority, t.runId, t.ending),
    // Each page of a running crawl changes `updated_at`. There are few of them, so that only paused crawls are indexed by it.
    index('crawls_paused')
      .on(t.updatedAt)
      .where(sql`state = 'paused'`),
    index('crawls_paused_reason')
      .on(t.reason, t.resumeAt)
      .where(sql`state = 'paused'`),
    // The crawls of an account, also by handles that it had.
    index('crawls_account')
      .on(t.targetRestId, t.kind)
      .where(sql`target_rest_id is not null`),
    // Accounts whose list was empty are few, and have no coverage.
    index('crawls_no_tweets')
      .on(t.targetRestId)
      .where(sql`reason = 'no_tweets'`),
    index('crawls_cut_short')
      .on(t.targetRestId, t.kind, t.startedAt)
      .where(sql`reason = 'list_cut_short'`),
    index('crawls_unavailable')
      .on(t.target)
      .where(sql`reason = 'unavailable'`),
    index('crawls_locked_by')
      .on(t.lockedBy, t.lockExpiresAt)
      .where(sql`locked_by is not null`),
    index('crawls_parent')
      .on(t.parentId)
      .where(sql`parent_id is not null`),
  ],
);

/**
 * The sources of crawls: a row for each crawl and each combination of trawl's version, service and API key of its workers.
 */
export const crawlSources = sqliteTable(
  'crawl_sources',
  {
    crawlId: key('crawl_id', () => crawls.id),
    /** The version of trawl. */
    trawlVersion: label('trawl_version').notNull(),
    /** The service's host, with its port and path prefix if `TRAWL_API_URL` has them. */
    serviceHost: label('service_host').notNull(),
    /** `TRAWL_KEY_LABEL`, or `key-` and the first eight digits of the key's hash, which `_quota_samples.key_hash` has in full. */
    keyLabel: label('key_label').notNull(),
    /** When such a worker first and last took the crawl: the start of its slice. */
    firstUsedAt: integer('first_used_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.crawlId, t.trawlVersion, t.serviceHost, t.keyLabel] })],
);

/** Runs: crawls that a run of a job, or a command with a budget, requested together. A null limit means no limit. */
export const runs = sqliteTable(
  'runs',
  {
    id: id(),
    /** The job; null for a command. */
    jobName: label('job_name'),
    createdAt: integer('created_at').notNull(),
    /** The limits of requests, in total and per day (UTC). The limit per day applies to all runs of a job together. */
    maxRequests: integer('max_requests'),
    maxRequestsPerDay: integer('max_requests_per_day'),
    /** The number of accounts that its limited snowballs have found: the rows of `_run_targets`. */
    targetCount: integer('target_count').notNull().default(0),
    /** Why targets of a run of a job were not crawled. */
    error: text('error', 'notes'),
  },
  (t) => [index('runs_job').on(t.jobName)],
);

/**
 * The requests of runs by day (UTC): the rows of `requests`, and the maximum of requests that killed workers have sent
 * without a record, on the day of their detection.
 */
export const runUsageByDay = sqliteTable(
  '_run_usage_by_day',
  {
    day: label('day').notNull(),
    runId: key('run_id', () => runs.id),
    requests: integer('requests').notNull(),
    unknownRequests: integer('unknown_requests').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.day, t.runId] }), index('_run_usage_by_day_run').on(t.runId)],
);

/** The accounts that the snowballs of a run have found, if their number is limited. */
export const runTargets = sqliteTable(
  '_run_targets',
  {
    runId: key('run_id', () => runs.id),
    target: text('target', 'account target').notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.target] })],
);

/** The descendants of each crawl at the top of a tree. An unfinished crawl that two trees share is in both. */
export const crawlTree = sqliteTable(
  '_crawl_tree',
  {
    rootId: key('root_id', () => crawls.id),
    descendantId: key('descendant_id', () => crawls.id),
  },
  (t) => [primaryKey({ columns: [t.rootId, t.descendantId] })],
);
