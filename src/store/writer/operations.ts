import { and, eq, isNull, sql } from 'drizzle-orm';
import type { CrawlSpec } from '../../kinds/crawl-spec.ts';
import type { CrawlEnd } from '../../kinds/end-states.ts';
import { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearchWindows } from '../coverage/search-windows.ts';
import { NO_HOLDS, prepareCancelResume } from '../crawls/cancel-resume.ts';
import { prepareCrawlTree, isInTrees } from '../crawls/crawl-tree.ts';
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
import { placeholder, placeholders } from '../sqlite/statement.ts';
import { preparePageWriter } from './page-writer.ts';
import { prepareReprocessing, type ReprocessResult, type ReprocessedPage } from './reprocess.ts';

/**
 * Everything that writes crawls into a store, each inside a transaction that its caller began. What goes in and out is
 * clonable, so that another thread may call.
 */
export interface Operations {
  /** Creates crawls, or joins the unfinished ones of the same identity; with a claim, takes them for one run. */
  openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): OpenedCrawl[];
  /** Begins a run of a command that has a budget; its crawls are opened with the number. */
  createRun(at: number, budget: Budget): number;
  /**
   * Takes a crawl for one activation: from now on only this lease may commit. Undefined when it is finished.
   * @param inFlight the most requests that the activation may have sent at any time and not recorded; 0 if it sends none.
   */
  takeLease(crawlId: number, at: number, inFlight?: number): StoredCrawl | undefined;
  /** Stores one page with its checkpoint, on top of the page before. @throws StaleLeaseError (invariant 3). */
  commitPage(page: PageCommit): CommitResult;
  /** Stores what a stored page shows when it is read again. */
  reprocessPage(page: ReprocessedPage): ReprocessResult;
  /** Lets bodies go that are older than a time, so many at most, oldest first. Returns how many. */
  expireBodies(before: number, most: number): number;
  /** Gives a leased crawl back unfinished. @throws StaleLeaseError */
  releaseLease(to: LeaseRelease): void;
  /**
   * Adds requests to a crawl's account that nothing else could be stored of: they were sent all the same (invariant 8). These
   * are all that the activation with this lease has not recorded, and it sends no more.
   */
  recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): void;
  /** Renews everything that a run has claimed, or gives it up (`until` 0). */
  setSoftLock(claim: SoftLock): void;
  /**
   * Ends unfinished crawls as cancelled, with what came of them and is wanted by nobody else; their workers find out by
   * the lease. Returns the ids of those that it ended.
   */
  cancelCrawls(crawlIds: readonly number[], at: number): number[];
  /** Opens ended crawls again where they stopped. Returns, in the same order, what is unfinished now in their place. */
  resumeCrawls(again: readonly Resumption[], at: number): OpenedCrawl[];
  /** Makes the schedule this one. A job whose times stay the same keeps how far it has come. */
  setSchedule(jobs: readonly ScheduleEntry[], at: number): ScheduleChange[];
  /** Opens the crawls of a scheduled run; undefined, having changed nothing, when that run was made before. */
  openScheduledRun(run: ScheduledRunStart): OpenedCrawl[] | undefined;
  addQuotaSample(sample: QuotaSampleRow): void;
}

/** Prepares the operations on one connection. The caller writes what they add to the tally, in the same transaction. */
export function prepareOperations(db: Db, memory: UserCache, tally: FieldCounter): Operations {
  const pages = preparePageWriter(db, memory);
  const coverage = prepareCoverage(db);
  const lists = prepareListSnapshots(db);
  const absences = prepareDeletions(db);
  const facts = prepareEndpointCapabilities(db);
  const steps = prepareSteps(db);
  const expireRaw = prepareBodyExpiry(db);
  const readAgain = prepareReprocessing(db, pages);
  const searches = prepareSearchWindows(db);
  const runs = prepareRuns(db);
  const accounts = prepareJobAccounts(db);
  const limits = prepareRunTargets(db, runs);
  const family = prepareCrawlTree(db, limits);
  const { open, openAll, unfinished } = prepareOpenCrawls(db, { family, runs, limits });
  const schedule = prepareSchedule(db, { openAll, runs, accounts });
  const steering = prepareCancelResume(db, { coverage, unfinished });
  const leases = prepareLeases(db, runs);
  const finish = db
    .update(crawls)
    .set({
      state: placeholder('state'),
      reason: placeholder('reason'),
      ending: placeholder('ending'),
      error: placeholder('error'),
      handle: sql`coalesce(${sql.placeholder('handle')}, ${crawls.handle})`,
      ...NO_HOLDS,
      inFlightRequests: 0,
      changes: sql`${crawls.changes} + ${sql.placeholder('changes')}`,
      finishedAt: placeholder('at'),
    })
    .where(eq(crawls.id, sql.placeholder('id')))
    .prepare();
  const insertSample = db
    .insert(quotaSamples)
    .values(placeholders(quotaSamples, ['sampledAt', 'requestLimit', 'remaining', 'resetAt', 'keyHash']))
    .prepare();

  /** `changes` are those that the end itself showed. */
  function end(crawlId: number, at: number, how: CrawlEnd, changes: number): void {
    finish.run({
      ...{ id: crawlId, at, changes },
      state: how.state,
      reason: how.reason ?? null,
      ending: how.ending ?? null,
      error: how.error ?? null,
      handle: how.handle ?? null,
    });
    coverage.closeGap(crawlId, how, at);
  }

  return {
    openCrawls(specs, at, softLock) {
      const opened = openAll(specs, at);
      // The newest run takes a claim over: its user is waiting now.
      if (softLock) {
        const ids = opened.map(({ id }) => id);
        db.update(crawls)
          .set(claimed(softLock))
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
      const settled = page.end ? { ...page, end: lists.checkEnd(crawl, page) } : page;
      if (!page.storedBodyIds) steps.recordPage(crawl, settled, stored);
      leases.advanceCheckpoint(page, newItems, changes);
      coverage.addPage(crawl, page);
      const children = family.selectNewChildren(crawl, page).map((spec) => open(spec, at, crawl));
      children.push(...absences.suspectDeletions(crawl, page).map((spec) => open(spec, at, crawl)));
      family.addChildren(crawl, children);
      if (page.cursorSupport) facts.recordCursorSupport(page.cursorSupport, at);
      if (page.pageSize) facts.recordPageSize(page.pageSize, at);
      if (page.searchedWindow) searches.addWindow(page.searchedWindow, crawlId, at);
      if (settled.end) {
        const concluded = lists.endMissingEdges(crawl, settled, newItems) + absences.confirmDeletion(crawl, settled);
        end(crawlId, at, settled.end, concluded);
        if (crawl.runId !== null && settled.end.state !== 'failed' && !page.storedBodyIds)
          accounts.bindHandle(crawlId, at);
      }
      // Last: what fails leaves no trace.
      for (const one of [...(page.lookups ?? []), page]) tally.add(page.endpoints?.[one.responseIndex ?? 0] ?? '', one);
      return { newItems, children, end: settled.end };
    },

    reprocessPage: readAgain,

    expireBodies: expireRaw,

    releaseLease(to) {
      pages.storeRequests(to.crawlId, to.requests);
      leases.releaseLease(to);
    },

    recordRequests(crawlId, lease, requests) {
      pages.storeRequests(crawlId, requests);
      leases.recordRequests(crawlId, lease, requests.length);
    },

    setSoftLock(claim) {
      const ours = and(eq(crawls.lockedBy, claim.owner), isNull(crawls.finishedAt));
      db.update(crawls).set(claimed(claim)).where(ours).run();
    },

    cancelCrawls(crawlIds, at) {
      const cancelled = steering.cancel(crawlIds, at);
      for (const crawlId of cancelled) steps.recordIntervention(crawlId, 'cancelled', at);
      return cancelled;
    },

    resumeCrawls(again, at) {
      const opened = steering.resume(again, at);
      for (const crawl of opened) if (!crawl.isJoined) steps.recordIntervention(crawl.id, 'resumed', at);
      return opened;
    },

    setSchedule: (jobs, at) => schedule.setSchedule(jobs, at),
    openScheduledRun: (run) => schedule.openScheduledRun(run),

    addQuotaSample({ at, limit, remaining, resetAt, keyHash }) {
      insertSample.run({ sampledAt: at, requestLimit: limit, remaining, resetAt: resetAt ?? null, keyHash });
    },
  };
}

const claimed = ({ owner, until }: SoftLock) => ({ lockedBy: owner, lockExpiresAt: until });
