import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { CrawlEnd } from '../../kinds/end-states.ts';
import { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearchWindows } from '../coverage/search-windows.ts';
import { prepareAlerts } from '../crawls/alerts.ts';
import { NO_HOLDS, prepareCancelResume } from '../crawls/cancel-resume.ts';
import { isInTrees } from '../crawls/crawl-conditions.ts';
import { prepareCrawlTree } from '../crawls/crawl-tree.ts';
import { prepareJobAccounts } from '../crawls/job-accounts.ts';
import { prepareLeases } from '../crawls/leases.ts';
import { prepareOpenCrawls } from '../crawls/open-crawls.ts';
import { prepareRunTargets } from '../crawls/run-targets.ts';
import { prepareRuns } from '../crawls/runs.ts';
import { prepareSchedule } from '../crawls/schedule.ts';
import { listFlagOf, prepareDeletions } from '../evidence/deletions.ts';
import { prepareEndpointCapabilities } from '../evidence/endpoint-capabilities.ts';
import type { FieldCounter } from '../evidence/field-statistics.ts';
import { prepareListSnapshots } from '../evidence/list-snapshots.ts';
import { prepareBodyExpiry } from '../journal/body-expiry.ts';
import { prepareSteps } from '../journal/steps.ts';
import type { UserCache } from '../merge/user-cache.ts';
import type {
  AlertAttempt,
  AlertState,
  Budget,
  SoftLock,
  CommitResult,
  LeaseRelease,
  OpenedCrawl,
  PageCommit,
  QuotaSampleRow,
  RequestEntry,
  Resumption,
  ScheduledRunStart,
  ScheduleChange,
  ScheduleEntry,
} from '../schema/messages.ts';
import type { StoredCrawl } from '../schema/query-results.ts';
import { crawls, quotaSamples } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, placeholders, compileInsert } from '../sqlite/statement.ts';
import { preparePageRows } from './page-rows.ts';
import { prepareReprocessing, type ReprocessResult, type ReprocessedPage } from './reprocess.ts';

/**
 * All write operations on a store, each inside the caller's transaction. Parameters and results are clonable, so that
 * another thread may call.
 */
export interface Operations {
  /** Creates crawls or joins unfinished ones of the same identity, and locks them for a run if one is given. */
  openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): OpenedCrawl[];
  /** Creates a run with a budget. Returns its id. */
  createRun(at: number, budget: Budget): number;
  /**
   * Takes a lease: from now on, only it may commit. Undefined if the crawl has ended.
   * @param inFlight the maximum of requests that are sent and not yet recorded at any time; 0 if none are sent
   */
  takeLease(crawlId: number, at: number, inFlight?: number): StoredCrawl | undefined;
  /** Stores a page with its checkpoint, after the page before it. @throws StaleLeaseError (invariant 3) */
  commitPage(page: PageCommit): CommitResult;
  /** Stores the rows of a stored page that was parsed again. */
  reprocessPage(page: ReprocessedPage): ReprocessResult;
  /** Deletes up to `most` bodies that are older than a time, oldest first. Returns their number. */
  expireBodies(before: number, most: number): number;
  /** Releases an unfinished crawl. @throws StaleLeaseError */
  releaseLease(to: LeaseRelease): void;
  /**
   * Records requests without a page (invariant 8). They are all unrecorded requests of the lease, whose holder sends no
   * more.
   */
  recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): void;
  /** Renews all soft locks of a run, or releases them (`until` 0). */
  setSoftLock(softLock: SoftLock): void;
  /**
   * Cancels unfinished crawls, with child crawls that belong to no other tree. Their leases become stale. Returns the ids
   * of the cancelled crawls.
   */
  cancelCrawls(crawlIds: readonly number[], at: number): number[];
  /** Reopens ended crawls where they stopped. Returns the unfinished crawls in their place, in the same order. */
  resumeCrawls(resumptions: readonly Resumption[], at: number): OpenedCrawl[];
  /** Replaces the schedule. A job with the same times keeps its latest run. */
  setSchedule(jobs: readonly ScheduleEntry[], at: number): ScheduleChange[];
  /** Opens the crawls of a scheduled run. Returns undefined and changes nothing if the run exists. */
  openScheduledRun(run: ScheduledRunStart): OpenedCrawl[] | undefined;
  addQuotaSample(sample: QuotaSampleRow): void;
  /** Stores the current states of alerts. A change is due for delivery at once, unless it cancels one that was never sent. */
  setAlerts(states: readonly AlertState[], at: number): void;
  /**
   * Claims the next attempt to deliver a change; `retryAt` is that of the next one. Returns false if another process has
   * claimed it, or if the state has changed since.
   */
  claimAlert(attempt: AlertAttempt, retryAt: number): boolean;
  /** Ends the delivery of a change: it was delivered, or it is given up. */
  settleAlert(change: Omit<AlertAttempt, 'attempts'>): void;
}

/** Prepares the operations on a connection. The caller flushes the field counter in the same transaction. */
export function prepareOperations(db: Db, userCache: UserCache, fieldCounter: FieldCounter): Operations {
  const pages = preparePageRows(db, userCache);
  const coverage = prepareCoverage(db);
  const listSnapshots = prepareListSnapshots(db);
  const deletions = prepareDeletions(db);
  const capabilities = prepareEndpointCapabilities(db);
  const steps = prepareSteps(db);
  const searches = prepareSearchWindows(db);
  const runs = prepareRuns(db);
  const jobAccounts = prepareJobAccounts(db);
  const runTargets = prepareRunTargets(db, runs);
  const tree = prepareCrawlTree(db, runTargets);
  const { open, openAll, unfinished } = prepareOpenCrawls(db, { tree, runs, runTargets });
  const interventions = prepareCancelResume(db, { coverage, unfinished });
  const leases = prepareLeases(db, runs);
  const finish = db
    .update(crawls)
    .set({
      ...placeholders(crawls, ['state', 'reason', 'ending', 'error']),
      handle: sql`coalesce(${bound.handle}, ${crawls.handle})`,
      ...NO_HOLDS,
      inFlightRequests: 0,
      changes: sql`${crawls.changes} + ${bound.changes}`,
      finishedAt: bound.at,
    })
    .where(eq(crawls.id, bound.id))
    .prepare();
  const insertSample = compileInsert(db, quotaSamples);

  /** @param changes ended edges and deleted tweets */
  function endCrawl(crawlId: number, at: number, end: CrawlEnd, changes: number): void {
    const { reason = null, ending = null, error = null, handle = null } = end;
    finish.run({ id: crawlId, at, changes, state: end.state, reason, ending, error, handle });
    coverage.closeGap(crawlId, end, at);
  }

  return {
    openCrawls(specs, at, softLock) {
      const opened = openAll(specs, at);
      // The latest run takes soft locks over, since its user is waiting.
      if (softLock) {
        const ids = opened.map(({ id }) => id);
        db.update(crawls)
          .set(lockColumns(softLock))
          .where(and(isInTrees(ids), isNull(crawls.finishedAt)))
          .run();
      }
      return opened;
    },

    createRun: (at, budget) => runs.createRun(at, budget),
    takeLease: (crawlId, at, inFlight = 0) => leases.takeLease(crawlId, at, inFlight),

    commitPage(page) {
      const { crawlId, at } = page;
      const crawl = leases.requireLease(page);
      const stored = pages.storePage(page, crawl.items, listFlagOf(crawl));
      const { newItems, changes } = stored;
      const checked = page.end ? { ...page, end: listSnapshots.capShortList(crawl, page) } : page;
      if (!page.storedBodyIds) steps.recordPage(crawl, checked, stored);
      leases.advanceCheckpoint(page, newItems, changes);
      coverage.addPage(crawl, page);
      const children = tree.selectNewChildren(crawl, page).map((spec) => open(spec, at, crawl));
      children.push(...deletions.suspectDeletions(crawl, page).map((spec) => open(spec, at, crawl)));
      tree.addChildren(crawl, children);
      if (page.cursorSupport) capabilities.recordCursorSupport(page.cursorSupport, at);
      if (page.pageSize) capabilities.recordPageSize(page.pageSize, at);
      if (page.searchedWindow) searches.addWindow(page.searchedWindow, crawlId, at);
      const { end } = checked;
      if (end) {
        const found =
          listSnapshots.endMissingEdges(crawl, checked, newItems) + deletions.confirmDeletion(crawl, checked);
        endCrawl(crawlId, at, end, found);
        if (crawl.runId !== null && end.state !== 'failed' && !page.storedBodyIds) jobAccounts.bindHandle(crawlId, at);
      }
      // Last, since a failed commit must not be counted.
      for (const observation of [...(page.lookups ?? []), page])
        fieldCounter.add(page.endpoints?.[observation.responseIndex ?? 0] ?? '', observation);
      return { newItems, children, end };
    },

    reprocessPage: prepareReprocessing(db, pages),
    expireBodies: prepareBodyExpiry(db),

    releaseLease(to) {
      pages.storeRequests(to.crawlId, to.requests);
      leases.releaseLease(to);
    },

    recordRequests(crawlId, lease, requests) {
      pages.storeRequests(crawlId, requests);
      leases.recordRequests(crawlId, lease, requests.length);
    },

    setSoftLock(softLock) {
      const isLocked = and(eq(crawls.lockedBy, softLock.owner), isNull(crawls.finishedAt));
      db.update(crawls).set(lockColumns(softLock)).where(isLocked).run();
    },

    cancelCrawls(crawlIds, at) {
      const cancelled = interventions.cancel(crawlIds, at);
      for (const crawlId of cancelled) steps.recordIntervention(crawlId, 'cancelled', at);
      return cancelled;
    },

    resumeCrawls(resumptions, at) {
      const opened = interventions.resume(resumptions, at);
      for (const crawl of opened) if (!crawl.isJoined) steps.recordIntervention(crawl.id, 'resumed', at);
      return opened;
    },

    ...prepareSchedule(db, { openAll, runs, jobAccounts }),
    ...prepareAlerts(db),

    addQuotaSample({ at, limit, ...sample }) {
      insertSample.run({ ...sample, sampledAt: at, requestLimit: limit });
    },
  };
}

const lockColumns = ({ owner, until }: SoftLock) => ({ lockedBy: owner, lockExpiresAt: until });
