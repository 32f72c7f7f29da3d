import { and, eq, isNull, sql } from 'drizzle-orm';
import { prepareCoverage } from '../coverage/coverage.ts';
import { prepareSearched } from '../coverage/search-windows.ts';
import { FREE, prepareSteering } from '../crawls/cancel-resume.ts';
import { prepareFamily, withFamily } from '../crawls/crawl-tree.ts';
import { prepareJobAccounts } from '../crawls/job-accounts.ts';
import { prepareLeases } from '../crawls/leases.ts';
import { prepareOpening } from '../crawls/open-crawls.ts';
import { prepareRunTargets } from '../crawls/run-targets.ts';
import { prepareRuns } from '../crawls/runs.ts';
import { prepareSchedule, type RunOpening, type ScheduleChange, type ScheduleEntry } from '../crawls/schedule.ts';
import { listOf, prepareAbsences } from '../evidence/deletions.ts';
import { prepareFacts } from '../evidence/endpoint-capabilities.ts';
import type { FieldTally } from '../evidence/field-statistics.ts';
import { prepareCompleteLists } from '../evidence/list-snapshots.ts';
import { prepareExpiry } from '../journal/raw-expiry.ts';
import { prepareSecondReading, type ReadAgain, type SecondReading } from '../journal/reprocess.ts';
import { prepareSteps } from '../journal/steps.ts';
import { placeholders } from '../merge/merge-rules.ts';
import type { KnownUsers } from '../merge/user-cache.ts';
import type {
  Budget,
  Claim,
  Committed,
  CrawlEnd,
  CrawlRow,
  CrawlSpec,
  HandBack,
  OpenedCrawl,
  PageCommit,
  QuotaSampleRow,
  RequestEntry,
  Resumption,
} from '../schema/messages.ts';
import { crawls, quotaSamples } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { preparePageWriter } from './page-writer.ts';

/**
 * Everything that writes crawls into a store, each inside a transaction that its caller began. What goes in and out is
 * clonable, so that another thread may call.
 */
export interface Operations {
  /** Creates crawls, or joins the unfinished ones of the same identity; with a claim, takes them for one run. */
  open(specs: readonly CrawlSpec[], at: number, claim?: Claim): OpenedCrawl[];
  /** Begins a run of a command that has a budget; its crawls are opened with the number. */
  beginRun(at: number, budget: Budget): number;
  /**
   * Takes a crawl for one activation: from now on only this lease may commit. Undefined when it is finished.
   * @param inFlight the most requests that the activation may have sent at any time and not recorded; 0 if it sends none.
   */
  lease(crawlId: number, at: number, inFlight?: number): CrawlRow | undefined;
  /** Stores one page with its checkpoint, on top of the page before. @throws StaleLeaseError (law 3). */
  commit(page: PageCommit): Committed;
  /** Stores what a stored page shows when it is read again. */
  readAgain(page: SecondReading): ReadAgain;
  /** Lets bodies go that are older than a time, so many at most, oldest first. Returns how many. */
  expireRaw(before: number, most: number): number;
  /** Gives a leased crawl back unfinished. @throws StaleLeaseError */
  handBack(to: HandBack): void;
  /**
   * Adds requests to a crawl's account that nothing else could be stored of: they were sent all the same (law 8). These
   * are all that the activation with this lease has not recorded, and it sends no more.
   */
  account(crawlId: number, lease: number, requests: readonly RequestEntry[]): void;
  /** Renews everything that a run has claimed, or gives it up (`until` 0). */
  claim(claim: Claim): void;
  /**
   * Ends unfinished crawls as cancelled, with what came of them and is wanted by nobody else; their workers find out by
   * the lease. Returns the ids of those that it ended.
   */
  cancel(crawlIds: readonly number[], at: number): number[];
  /** Opens ended crawls again where they stopped. Returns, in the same order, what is unfinished now in their place. */
  resume(again: readonly Resumption[], at: number): OpenedCrawl[];
  /** Makes the schedule this one. A job whose times stay the same keeps how far it has come. */
  setSchedule(jobs: readonly ScheduleEntry[], at: number): ScheduleChange[];
  /** Opens the crawls of a scheduled run; undefined, having changed nothing, when that run was made before. */
  openRun(run: RunOpening): OpenedCrawl[] | undefined;
  sampleQuota(sample: QuotaSampleRow): void;
}

/** Prepares the operations on one connection. The caller writes what they add to the tally, in the same transaction. */
export function prepareOperations(db: Db, memory: KnownUsers, tally: FieldTally): Operations {
  const pages = preparePageWriter(db, memory);
  const coverage = prepareCoverage(db);
  const lists = prepareCompleteLists(db);
  const absences = prepareAbsences(db);
  const facts = prepareFacts(db);
  const steps = prepareSteps(db);
  const expireRaw = prepareExpiry(db);
  const readAgain = prepareSecondReading(db, pages);
  const searches = prepareSearched(db);
  const runs = prepareRuns(db);
  const accounts = prepareJobAccounts(db);
  const limits = prepareRunTargets(db, runs);
  const family = prepareFamily(db, limits);
  const { open, openAll, unfinished } = prepareOpening(db, { family, runs, limits });
  const schedule = prepareSchedule(db, { openAll, runs, accounts });
  const steering = prepareSteering(db, { coverage, unfinished });
  const leases = prepareLeases(db, runs);
  const finish = db
    .update(crawls)
    .set({
      state: sql`${sql.placeholder('state')}`,
      reason: sql`${sql.placeholder('reason')}`,
      ending: sql`${sql.placeholder('ending')}`,
      error: sql`${sql.placeholder('error')}`,
      handle: sql`coalesce(${sql.placeholder('handle')}, ${crawls.handle})`,
      ...FREE,
      inFlight: 0,
      changes: sql`${crawls.changes} + ${sql.placeholder('changes')}`,
      finishedAt: sql`${sql.placeholder('at')}`,
    })
    .where(eq(crawls.id, sql.placeholder('id')))
    .prepare();
  const insertSample = db
    .insert(quotaSamples)
    .values(placeholders(quotaSamples, ['at', 'appLimit', 'remaining', 'resetAt', 'keyHash']))
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
    coverage.close(crawlId, how, at);
  }

  return {
    open(specs, at, claim) {
      const opened = openAll(specs, at);
      // The newest run takes a claim over: its user is waiting now.
      if (claim) {
        const ids = opened.map(({ id }) => id);
        db.update(crawls)
          .set(claimed(claim))
          .where(and(withFamily(ids), isNull(crawls.finishedAt)))
          .run();
      }
      return opened;
    },

    beginRun: (at, budget) => runs.begin(at, budget),
    lease: (crawlId, at, inFlight = 0) => leases.take(crawlId, at, inFlight),

    commit(page) {
      const { crawlId, at } = page;
      const crawl = leases.hold(page);
      const stored = pages.storePage(page, crawl.items, listOf(crawl));
      const { newItems, changes } = stored;
      const settled = page.end ? { ...page, end: lists.settle(crawl, page) } : page;
      if (!page.onRecord) steps.record(crawl, settled, stored);
      leases.advance(page, newItems, changes);
      coverage.extend(crawl, page);
      const children = family.admit(crawl, page).map((spec) => open(spec, at, crawl));
      children.push(...absences.suspect(crawl, page).map((spec) => open(spec, at, crawl)));
      family.add(crawl, children);
      if (page.learnt) facts.learn(page.learnt, at);
      if (page.longest) facts.lengthen(page.longest, at);
      if (page.searched) searches.add(page.searched, crawlId, at);
      if (settled.end) {
        const concluded = lists.conclude(crawl, settled, newItems) + absences.confirm(crawl, settled);
        end(crawlId, at, settled.end, concluded);
        if (crawl.runId !== null && settled.end.state !== 'failed' && !page.onRecord) accounts.bind(crawlId, at);
      }
      // Last: what fails leaves no trace.
      for (const one of [...(page.beside ?? []), page]) tally.add(page.answers?.[one.answer ?? 0] ?? '', one);
      return { newItems, children, end: settled.end };
    },

    readAgain,

    expireRaw,

    handBack(to) {
      pages.storeRequests(to.crawlId, to.requests);
      leases.giveBack(to);
    },

    account(crawlId, lease, requests) {
      pages.storeRequests(crawlId, requests);
      leases.report(crawlId, lease, requests.length);
    },

    claim(claim) {
      const ours = and(eq(crawls.claimedBy, claim.by), isNull(crawls.finishedAt));
      db.update(crawls).set(claimed(claim)).where(ours).run();
    },

    cancel(crawlIds, at) {
      const cancelled = steering.cancel(crawlIds, at);
      for (const crawlId of cancelled) steps.steer(crawlId, 'cancelled', at);
      return cancelled;
    },

    resume(again, at) {
      const opened = steering.resume(again, at);
      for (const crawl of opened) if (!crawl.joined) steps.steer(crawl.id, 'resumed', at);
      return opened;
    },

    setSchedule: (jobs, at) => schedule.set(jobs, at),
    openRun: (run) => schedule.openRun(run),

    sampleQuota({ at, limit, remaining, resetAt, keyHash }) {
      insertSample.run({ at, appLimit: limit, remaining, resetAt: resetAt ?? null, keyHash });
    },
  };
}

const claimed = ({ by, until }: Claim) => ({ claimedBy: by, claimedUntil: until });
