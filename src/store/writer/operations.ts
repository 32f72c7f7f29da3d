import { and, eq, isNull, type SQL } from 'drizzle-orm';
import { InvariantError } from '#base/errors.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { prepareCancelResume } from '#store/crawls/cancel-resume.ts';
import { isInTrees } from '#store/crawls/crawl-conditions.ts';
import { prepareJobAccounts } from '#store/crawls/job-accounts.ts';
import { prepareLeases } from '#store/crawls/leases.ts';
import { prepareCrawlTree, prepareOpenCrawls, prepareRunTargets } from '#store/crawls/open-crawls.ts';
import { prepareRuns } from '#store/crawls/runs.ts';
import { prepareAlerts } from '#store/crawls/stored-alerts.ts';
import { prepareSchedule } from '#store/crawls/stored-schedule.ts';
import { prepareForgottenTargets, requireRemembered } from '#store/erasure/incoming/forgotten-targets.ts';
import type { FieldCounter } from '#store/evidence/field-statistics.ts';
import { prepareBodyExpiry } from '#store/journal/body-expiry.ts';
import { prepareSteps } from '#store/journal/journal-steps.ts';
import type { UserCache } from '#store/merge/user-cache.ts';
import { prepareOutbox } from '#store/outbox/outbox.ts';
import type {
  Budget,
  LeaseRelease,
  OpenedCrawl,
  PageCommit,
  QuotaSampleRow,
  RequestEntry,
  SoftLock,
  SubmittedPage,
} from '#store/schema/commit-messages.ts';
import { crawls, quotaSamples } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileInsert } from '#store/sqlite/statement.ts';
import { preparePageCommit, type ResolvePage, preparePageRows } from './page-commit.ts';
import { prepareReprocessing } from './reprocess.ts';

export type Operations = ReturnType<typeof prepareOperations>;

/**
 * Prepares all write operations on a store, each inside the caller's transaction. Parameters and results are clonable, so
 * that another thread may call. The caller flushes the field counter in the same transaction.
 */
export function prepareOperations(
  db: Db,
  userCache: UserCache,
  fieldCounter: FieldCounter,
  resolvePage: ResolvePage = requireRows,
) {
  const pages = preparePageRows(db, userCache);
  const coverage = prepareCoverage(db);
  const steps = prepareSteps(db);
  const runs = prepareRuns(db);
  const jobAccounts = prepareJobAccounts(db);
  const runTargets = prepareRunTargets(db, runs);
  const tree = prepareCrawlTree(db, runTargets);
  const outbox = prepareOutbox(db);
  const { openChildren, openAll, unfinished } = prepareOpenCrawls(db, { tree, runs, runTargets });
  const leases = prepareLeases(db, runs);
  const isForgotten = prepareForgottenTargets(db);
  const insertSample = compileInsert(db, quotaSamples);
  const commitPage = preparePageCommit(db, {
    pages,
    coverage,
    leases,
    runs,
    steps,
    tree,
    openChildren,
    jobAccounts,
    fieldCounter,
    outbox,
    resolvePage,
  });

  function openAndRecord(specs: readonly CrawlSpec[], at: number): OpenedCrawl[] {
    const opened = openAll(specs, at);
    outbox.recordCrawls(
      opened.filter(({ isJoined }) => !isJoined).map(({ id }) => id),
      at,
    );
    return opened;
  }

  function lockUnfinished({ owner, until }: SoftLock, condition: SQL): void {
    const isUnfinished = isNull(crawls.finishedAt);
    const lock = { lockedBy: owner, lockExpiresAt: until };
    db.update(crawls).set(lock).where(and(condition, isUnfinished)).run();
  }

  return {
    /**
     * Creates crawls or joins unfinished ones of the same identity, and locks them for a run if one is given.
     * @throws UsageError if one would be of a forgotten account
     */
    openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): OpenedCrawl[] {
      requireRemembered(specs, isForgotten);
      const opened = openAndRecord(specs, at);
      // The latest run takes soft locks over, since its user is waiting.
      if (softLock) lockUnfinished(softLock, isInTrees(opened.map(({ id }) => id)));
      return opened;
    },

    /** Creates a run with a budget. Returns its id. */
    createRun: (at: number, budget: Budget): number => runs.createRun(at, budget),

    /**
     * Takes a lease: from now on, only it may commit. Undefined if the crawl has ended.
     * @param inFlight the maximum of requests that are sent and not yet recorded at any time; 0 if none are sent
     * @param source what they are sent with, which the crawl records; none if none are sent
     */
    takeLease: leases.takeLease,

    /** Stores a page with its checkpoint, after the page before it. @throws StaleLeaseError (invariant 3) */
    commitPage,

    /** Stores the rows of a stored page that was parsed again. */
    reprocessPage: prepareReprocessing(db, pages.storeRows, outbox),
    /** Deletes up to `most` bodies that are older than a time, oldest first. Returns their number. */
    expireBodies: prepareBodyExpiry(db),

    /** Releases an unfinished crawl. @throws StaleLeaseError */
    releaseLease(to: LeaseRelease): void {
      pages.storeRequests(to.crawlId, to.requests);
      runs.countRequests(to.crawlId, to.requests);
      leases.releaseLease(to);
      outbox.recordRequests(to.crawlId, to.requests);
    },

    /**
     * Records requests without a page (invariant 8). They are all unrecorded requests of the lease, whose holder sends no
     * more.
     */
    recordRequests(crawlId: number, lease: number, requests: readonly RequestEntry[]): void {
      pages.storeRequests(crawlId, requests);
      runs.countRequests(crawlId, requests);
      leases.recordRequests(crawlId, lease, requests.length);
      outbox.recordRequests(crawlId, requests);
      // The crawl may have ended before: its requests are counted only now.
      if (requests.length > 0) outbox.recordCrawls([crawlId], requests.at(-1)!.at);
    },

    /** Renews all soft locks of a run, or releases them (`until` 0). */
    setSoftLock: (softLock: SoftLock): void => lockUnfinished(softLock, eq(crawls.lockedBy, softLock.owner)),

    ...prepareCancelResume(db, { coverage, steps, unfinished, outbox }),
    ...prepareSchedule(db, { openAll: openAndRecord, runs, jobAccounts, isForgotten }),
    ...prepareAlerts(db),

    addQuotaSample({ at, limit, ...sample }: QuotaSampleRow): void {
      insertSample.run({ ...sample, sampledAt: at, requestLimit: limit });
    },
  };
}

/** Without staged pages, a commit has its rows. */
function requireRows(page: SubmittedPage): PageCommit {
  if ('stagedId' in page.rows) throw new InvariantError('this writer stages no pages');
  return page as PageCommit;
}
