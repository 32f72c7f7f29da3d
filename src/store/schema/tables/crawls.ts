import { sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { PRIORITIES } from '../../../quota/priorities.ts';
import { CRAWL_STATES } from '../crawl-states.ts';
import { id, key } from './columns.ts';

/** Crawls: what was asked for, how far it came and how it ended. `finished_at` is null while it is unfinished. */
export const crawls = sqliteTable(
  'crawls',
  {
    id: id(),
    kind: text('kind').notNull(),
    target: text('target').notNull(),
    options: text('options').notNull(),
    priority: text('priority', { enum: PRIORITIES }).notNull(),
    /** The crawl that this one came of, and the one that all of its family came of. */
    parentId: integer('parent_id').references((): AnySQLiteColumn => crawls.id),
    rootId: integer('root_id').references((): AnySQLiteColumn => crawls.id),
    state: text('state', { enum: CRAWL_STATES }).notNull(),
    /**
     * Why it is partial or failed; while it is paused: `quota`, `outage` (the service does not work), `budget`, `retry` (it failed for
     * this crawl, and works for others), `unauthorized`.
     */
    reason: text('reason'),
    /**
     * What ended a list: `served` (no next cursor), `one_page` (no next cursor, of an endpoint that documents none), `inferred`
     * (empty pages), `since`, `joined` (the rest is known down to an end that the service gave, or to `--since`),
     * `joined_inferred` (the same, down to an inferred end), or `halved` (a search that was asked again in parts).
     */
    ending: text('ending'),
    /** The last error in words. */
    error: text('error'),
    /** The service's id of the target, once it is known. */
    targetRestId: text('target_rest_id'),
    /** The checkpoint: the cursor of the next page (null at the start), and what the end guard remembers. */
    cursor: text('cursor'),
    checkpoint: text('checkpoint'),
    pages: integer('pages').notNull().default(0),
    items: integer('items').notNull().default(0),
    newItems: integer('new_items').notNull().default(0),
    rejectedItems: integer('rejected_items').notNull().default(0),
    requests: integer('requests').notNull().default(0),
    /** Failures in a row since the last page. */
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    /** The fencing token: only its holder may commit. */
    leaseToken: integer('lease_token').notNull().default(0),
    /** A `trawl crawl` run that keeps this crawl to itself, and until when. */
    lockedBy: text('locked_by'),
    lockExpiresAt: integer('lock_expires_at'),
    /** Paused until then. */
    resumeAt: integer('resume_at'),
    createdAt: integer('created_at').notNull(),
    startedAt: integer('started_at'),
    updatedAt: integer('updated_at').notNull(),
    finishedAt: integer('finished_at'),
    /** Items of the last page: the pages before it led on, and show how many the service puts on one. */
    lastPageItems: integer('last_page_items'),
    /** The requests that were planned when it was asked for, its family's included: at least, likely, at most. */
    plannedRequestsMin: integer('planned_requests_min'),
    plannedRequestsExpected: integer('planned_requests_expected'),
    plannedRequestsMax: integer('planned_requests_max'),
    /** What it was asked for together with: its budget is theirs. */
    runId: integer('run_id').references(() => runs.id),
    /** The handle of the target as it was typed, or as the service spells it; `target` has it in lower case. */
    handle: text('handle'),
    /**
     * The most requests that its worker may have sent and not recorded: set by the lease, 0 once the crawl is handed back
     * or ended. Of a cancelled crawl, it stays until its worker has reported.
     */
    inFlightRequests: integer('in_flight_requests').notNull().default(0),
    /** The sum of `in_flight_requests` of workers that were killed: at most so many requests were sent beside those on record. */
    unknownRequests: integer('unknown_requests').notNull().default(0),
    /** Users and tweets that it found changed, edges that it found ended and tweets that it found deleted. */
    changes: integer('changes').notNull().default(0),
    /** Of a snowball with a limit of accounts: the run that asked for it last, whose snowballs share the limit. */
    targetLimitRunId: integer('target_limit_run_id').references(() => runs.id),
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
    index('crawls_state').on(t.state, t.kind),
    // Running crawls are few, and each page changes when they were updated: only the paused ones are indexed by that.
    index('crawls_paused')
      .on(t.updatedAt)
      .where(sql`state = 'paused'`),
    index('crawls_paused_reason')
      .on(t.reason, t.resumeAt)
      .where(sql`state = 'paused'`),
    index('crawls_locked_by')
      .on(t.lockedBy, t.lockExpiresAt)
      .where(sql`locked_by is not null`),
    index('crawls_parent')
      .on(t.parentId)
      .where(sql`parent_id is not null`),
  ],
);

/** Crawls that were asked for together: by a run of a job, or by a command with a budget. Null is no limit. */
export const runs = sqliteTable(
  'runs',
  {
    id: id(),
    /** The job; null for a command. */
    jobName: text('job_name'),
    createdAt: integer('created_at').notNull(),
    /** The requests that it may send in all, and on a day (UTC); for a job, all its runs of the day count together. */
    maxRequests: integer('max_requests'),
    maxRequestsPerDay: integer('max_requests_per_day'),
    /** How many accounts its snowballs have found, where they are limited: the rows of `_run_targets`. */
    targetCount: integer('target_count').notNull().default(0),
  },
  (t) => [index('runs_job').on(t.jobName)],
);

/**
 * The requests that runs sent, by day (UTC): the rows of `requests`, counted with each page, and beside
 * them those that killed workers may have sent, at most, on the day when that was noticed.
 */
export const runUsageByDay = sqliteTable(
  '_run_usage_by_day',
  {
    day: text('day').notNull(),
    runId: key('run_id', () => runs.id),
    requests: integer('requests').notNull(),
    unknownRequests: integer('unknown_requests').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.day, t.runId] }), index('_run_usage_by_day_run').on(t.runId)],
);

/** The accounts that the snowballs of a run have found, where the user limited them. */
export const runTargets = sqliteTable(
  '_run_targets',
  {
    runId: key('run_id', () => runs.id),
    target: text('target').notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.target] })],
);

/** Which crawls came of a crawl, however far down. One that joined another's unfinished crawl has it in its family too. */
export const crawlTree = sqliteTable(
  '_crawl_tree',
  {
    rootId: key('root_id', () => crawls.id),
    descendantId: key('descendant_id', () => crawls.id),
  },
  (t) => [primaryKey({ columns: [t.rootId, t.descendantId] })],
);
