import { and, desc, eq, inArray, isNull, not, sql } from 'drizzle-orm';
import { listSpellings } from '#base/text.ts';
import { SUCCESS_STATES } from '#service/kinds/decide-end.ts';
import { prepareIntervals } from './coverage/intervals.ts';
import { prepareSearchReads, type SearchReads } from './coverage/search-windows.ts';
import { IS_REPLACED, isAmongIds, isInTrees } from './crawls/crawl-conditions.ts';
import { readCrawlCounts } from './crawls/crawl-counts.ts';
import { readJobAccounts } from './crawls/job-accounts.ts';
import { prepareEndedCrawls, readJobRuns, readJobSuccesses } from './crawls/job-runs.ts';
import { type PendingReads, preparePendingReads } from './crawls/pending-crawls.ts';
import { prepareBudgets } from './crawls/runs.ts';
import { readAlerts } from './crawls/stored-alerts.ts';
import { readSchedule } from './crawls/stored-schedule.ts';
import { prepareControlTargets } from './evidence/control-targets.ts';
import { prepareExpectsTweets } from './evidence/deleted-tweets.ts';
import { prepareNotFoundEvidence } from './evidence/not-found-evidence.ts';
import { prepareShortLists } from './evidence/short-lists.ts';
import { isHolderOf } from './last-handle-holder.ts';
import { lastSeenSubquery, lastSummarySubquery } from './merge/last-seen.ts';
import { type FullShipBacklog, prepareFullBacklog, readShipTargets } from './outbox/ship-targets.ts';
import { createPlanningReads, type PlanningReads } from './planning-reads.ts';
import type { CursorSupport } from './schema/commit-messages.ts';
import { type CrawlRow, decodeCrawl } from './schema/crawl-row.ts';
import type { StoreQueries, Synchronous } from './schema/query-results.ts';
import { crawls, endpointFindings, users } from './schema/tables.ts';
import { toStoreError } from './sqlite/database-errors.ts';
import type { Db } from './sqlite/database.ts';
import { bound, createValuePreparer, pickColumns } from './sqlite/statement.ts';

/** Synchronous reads. Modules that do not depend on SQLite have `StoreQueries` instead. */
export interface StoreReads extends Synchronous<StoreQueries>, SearchReads, PendingReads {
  crawl(id: number): CrawlRow | undefined;
  crawls(ids: readonly number[]): CrawlRow[];
  /** The crawls and their descendants, oldest first. */
  crawlTree(ids: readonly number[]): CrawlRow[];
  /** Unfinished crawls, oldest first: all of them, or those of a target. */
  unfinished(of?: Pick<CrawlRow, 'kind' | 'target'>): CrawlRow[];
  /** The kinds, states and reasons of unfinished crawls, each combination once. */
  unfinishedStates(): Pick<CrawlRow, 'kind' | 'state' | 'reason'>[];
  /** Crawls that ended early for this reason, without those that a later crawl repeats or replaces. */
  crawlsEndedFor(reason: string): number[];
  /** The number of the last page that was stored; 0 before the first. */
  lastStepId(): number;
  /** The latest crawl of a list of an account that ended complete or capped, with any of these targets. */
  latestSuccess(kind: string, restId: string, targets: readonly string[]): CrawlRow | undefined;
  /** The first known time of the current handle of an account. */
  handleSince(restId: string): number | undefined;
  /** The backlog of a target of shipping that has reached its maximum, in bytes. */
  fullShipBacklog(): FullShipBacklog | undefined;
  /** Facts for plans, as of now. */
  planningReads(): PlanningReads;
}

/** Reads of crawls and their trees. */
function prepareCrawlReads(db: Db) {
  const isUnfinished = isNull(crawls.finishedAt);
  const crawl = db.select().from(crawls).where(eq(crawls.id, bound.id)).prepare();
  const unfinished = db.select().from(crawls).where(isUnfinished).orderBy(crawls.id).prepare();
  const isOfTarget = and(isUnfinished, eq(crawls.kind, bound.kind), eq(crawls.target, bound.target));
  const unfinishedOf = db.select().from(crawls).where(isOfTarget).orderBy(crawls.id).prepare();
  const endedFor = createValuePreparer(db)<[string], number>(`
    select id from crawls c where reason = ? and state in ('partial', 'failed') and not ${IS_REPLACED} order by id`);
  return {
    loadCrawl(id) {
      const row = crawl.get({ id });
      return row && decodeCrawl(row);
    },
    crawl: (id) => crawl.get({ id }),
    crawls: (ids) => (ids.length === 0 ? [] : db.select().from(crawls).where(isAmongIds(crawls.id, ids)).all()),
    crawlTree: (ids) =>
      ids.length === 0 ? [] : db.select().from(crawls).where(isInTrees(ids)).orderBy(crawls.id).all(),
    unfinished: (of) => (of ? unfinishedOf.all(of) : unfinished.all()),
    unfinishedStates() {
      const { kind, state, reason } = crawls;
      return db.selectDistinct({ kind, state, reason }).from(crawls).where(isUnfinished).all();
    },
    crawlsEndedFor: (reason) => endedFor.all(reason),
    notLockedBy(ids, run) {
      if (ids.length === 0) return [];
      const isNotLocked = and(isInTrees(ids), isUnfinished, sql`${crawls.lockedBy} is not ${run}`);
      return db.select().from(crawls).where(isNotLocked).all();
    },
    latestSuccess(kind, targetRestId, targets) {
      const isSuccess = and(
        eq(crawls.kind, kind),
        inArray(crawls.target, [...targets]),
        // Unary plus: not by state, which many crawls share.
        eq(crawls.targetRestId, targetRestId),
        inArray(sql`+${crawls.state}`, [...SUCCESS_STATES]),
      );
      return db.select().from(crawls).where(isSuccess).orderBy(desc(crawls.id)).limit(1).get();
    },
    ...preparePendingReads(db),
  } satisfies Partial<StoreReads>;
}

/** Reads of accounts, and of who had a handle. */
function prepareAccountReads(db: Db) {
  const prepareValue = createValuePreparer(db);
  const known = {
    ...pickColumns(users, ['restId', 'screenName', 'profileAt', 'createdAt']),
    ...pickColumns(users, ['statusesCount', 'followersCount', 'followingCount']),
    summaryAt: lastSummarySubquery,
  };
  /** Another account had the handle later: this one, which has not been seen since, has lost it. */
  const isLost = sql`exists (select 1 from user_history h where h.screen_name = ${users.screenName} collate nocase
    and h.user_id <> ${users.id} and h.last_seen_at > ${lastSeenSubquery})`;
  const isHolder = and(isHolderOf(bound.screenName), not(isLost));
  const byHandle = db.select(known).from(users).where(isHolder).orderBy(desc(lastSeenSubquery)).limit(1).prepare();
  const byId = db.select(known).from(users).where(eq(users.restId, bound.restId)).prepare();
  const handleSince = prepareValue<[string], number>(`
    select coalesce((select max(changed_at) from user_history where user_id = users.id and screen_name is not null),
      first_seen_at) from users where rest_id = ?`);
  const lastTargetId = prepareValue<[string, string], string>(`
    select target_rest_id from crawls where target = ? and kind in (select value from json_each(?))
      and target_rest_id is not null and finished_at is not null and state not in ('failed', 'cancelled')
    order by id desc limit 1`);
  const pastHolders = prepareValue<[string], string>(`
    select distinct rest_id from json_each(?) spelling
    join user_history h on h.screen_name = spelling.value collate nocase join users on users.id = h.user_id limit 2`);
  const pastSpelling = prepareValue<[string], string>(`
    select h.screen_name from json_each(?) spelling
    join user_history h on h.screen_name = spelling.value collate nocase order by h.changed_at desc limit 1`);
  return {
    previousHandleOwner(target, handle, kinds) {
      const crawled = lastTargetId.get(target, JSON.stringify(kinds));
      if (crawled !== undefined) return crawled;
      const holders = pastHolders.all(JSON.stringify(listSpellings(handle)));
      return holders.length === 1 ? holders[0] : undefined;
    },
    earlierSpelling: (handle) => pastSpelling.get(JSON.stringify(listSpellings(handle))),
    userByHandle: (handle) =>
      listSpellings(handle)
        .map((spelling) => byHandle.get({ screenName: spelling }))
        .find((user) => user !== undefined),
    userById: (id) => byId.get({ restId: id }),
    handleSince: (id) => handleSince.get(id),
  } satisfies Partial<StoreReads>;
}

/** What is known of endpoints, as evidence. */
function prepareEndpointReads(db: Db) {
  const cursorSupport = db.$client.prepare<[string], CursorSupport & { seenAt: number }>(
    `select endpoint, cursor_support as cursor, cursor_seen_at as seenAt from _endpoint_capabilities
     where endpoint = ? and cursor_support is not null and cursor_seen_at is not null`,
  );
  const largestPage = db.$client.prepare<[string], { entries: number; seenAt: number }>(
    `select largest_page_items as entries, largest_page_seen_at as seenAt from _endpoint_capabilities
     where endpoint = ? and largest_page_items is not null and largest_page_seen_at is not null`,
  );
  const findings = db.select().from(endpointFindings).where(eq(endpointFindings.endpoint, bound.endpoint)).prepare();
  return {
    cursorSupport: (endpoint) => cursorSupport.get(endpoint),
    largestPage: (endpoint) => largestPage.get(endpoint),
    endpointFindings: (endpoint) => findings.all({ endpoint }),
    findControl: prepareControlTargets(db),
    countUnchecked: prepareNotFoundEvidence(db).countUnchecked,
  } satisfies Partial<StoreReads>;
}

export function createStoreReads(db: Db): StoreReads {
  const lastStep = createValuePreparer(db)<[], number | null>('select max(id) from _steps');
  const reads: StoreReads = {
    ...prepareCrawlReads(db),
    ...prepareAccountReads(db),
    ...prepareEndpointReads(db),
    ...prepareSearchReads(db),
    intervals: prepareIntervals(db),
    expectsTweets: prepareExpectsTweets(db),
    needsOwnerCount: prepareShortLists(db).needsOwnerCount,
    budget: prepareBudgets(db),
    planningReads: () => createPlanningReads(db, reads),
    lastStepId: () => lastStep.get() ?? 0,
    fullShipBacklog: prepareFullBacklog(db),
    schedule: () => readSchedule(db),
    jobAccounts: (job) => readJobAccounts(db, job),
    endedCrawls: prepareEndedCrawls(db),
    crawlCounts: () => readCrawlCounts(db),
    shipTargets: () => readShipTargets(db),
    jobRuns: (job, most, known) => readJobRuns(db, job, most, known),
    jobSuccesses: () => readJobSuccesses(db),
    alerts: () => readAlerts(db),
  };
  return reads;
}

/** The same reads as asynchronous queries, which reject with a StoreError. */
export function toQueries<T extends object>(reads: Synchronous<T>): T {
  const queries = Object.entries<(...args: never[]) => unknown>({ ...reads }).map(([name, run]) => [
    name,
    async (...args: never[]) => {
      try {
        return run(...args);
      } catch (error) {
        throw toStoreError(error);
      }
    },
  ]);
  return Object.fromEntries(queries) as T;
}
