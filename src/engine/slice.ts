import { MINUTE, SECOND } from '../clock.ts';
import {
  BudgetSpentError,
  OutageError,
  PausedError,
  QuotaExceededError,
  ServiceError,
  StaleLeaseError,
  TransientError,
  TrawlError,
  UnauthorizedError,
} from '../errors.ts';
import { type KindName, kindTable } from '../kinds/kinds.ts';
import { packPage } from '../store/journal/raw-bodies.ts';
import type { CrawlClass, CrawlEnd, CrawlRow, HandBack, RequestEntry } from '../store/schema/messages.ts';
import { NO_ROWS, rejectedIn } from '../store/schema/rows.ts';
import { isDiskTrouble, isTrouble } from '../store/sqlite/database-errors.ts';
import { createCommitPipeline, type UnpackedCommit } from './commit-pipeline.ts';
import { crawlPage } from './crawl-page.ts';
import { createDraft, type Draft, observed, type Unanswered } from './draft.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { computeRetryDelay, isBug, toFailureReason } from './failures.ts';
import type { RequestHold, BreakerSession } from './outage/breaker.ts';
import type { DiskShortage } from './outage/disk-guard.ts';
import { MAX_RETRY_AFTER } from './outage/policy.ts';

/** Steps of one activation before the crawl goes back in line, and the time it may take. */
const SLICE_STEPS = 100;
const SLICE_MS = 10 * SECOND;
/** Failures in a row that end a crawl: those of its own, while other targets of the endpoint succeed, and bugs. */
export const MAX_FAILURES = 8;

/** What the queue should do with the crawl now. */
export type SliceResult =
  /** It ended, or is in other hands: nothing more to do here. */
  | { readonly next: 'done' }
  /** There is more: back in line. */
  | { readonly next: 'again' }
  /** Not before a time; `class` when no crawl of it can go on until then. */
  | { readonly next: 'wait'; readonly until: number; readonly class?: CrawlClass }
  /** The key is dead: stop working, keep everything. */
  | { readonly next: 'stop'; readonly error: UnauthorizedError };

/** Told to stop, a slice finishes its step; `abort` cuts its request short. */
export interface SliceSignals {
  readonly stop: AbortSignal;
  readonly abort: AbortSignal;
}

/**
 * Takes a crawl's lease and steps it on until it ends, has to wait, or has had its share. During a pause or an outage
 * nothing is written: all workers come by to look, time and again.
 */
export async function runSlice(
  crawlId: number,
  ports: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const crawl = ports.store.read.crawl(crawlId);
  if (!crawl || crawl.finishedAt !== null) return { next: 'done' };
  const due = dueAt(crawl);
  if (due > ports.clock.now()) return { next: 'wait', until: due };
  const shortage = ports.disk.admitCrawl(crawlId);
  if (shortage) return await pauseForDisk(crawl, shortage, ports);
  try {
    return await runAdmitted(crawl, ports, signals);
  } catch (error) {
    if (!isDiskTrouble(error)) throw error;
    return await pauseForDisk(crawl, ports.disk.reportFailure(crawlId, error), ports);
  } finally {
    ports.disk.release(crawlId);
  }
}

async function runAdmitted(crawl: CrawlRow, ports: EngineDependencies, signals: SliceSignals): Promise<SliceResult> {
  const pause = await ports.governor.checkPause(crawl.class, signals.stop);
  if (pause) return { next: 'wait', until: pause.lookAt, class: crawl.class };
  const passage = ports.breaker.startSession(crawl.target);
  try {
    const hold = await passage.checkEndpoint(kindTable[crawl.kind as KindName].endpoint);
    return hold ? waitFor(hold, crawl) : await runLeased(crawl, passage, ports, signals);
  } finally {
    await passage.close();
  }
}

/** When a crawl that waits by itself may go on: jobs are woken before that when an outage is over. */
const dueAt = ({ state, reason, resumeAt }: CrawlRow): number =>
  state === 'paused' && (reason === 'retry' || reason === 'budget') ? (resumeAt ?? 0) : 0;

/** An outage of the service holds whole classes back, one of an endpoint only its crawls. */
const waitFor = ({ until, isService }: Pick<RequestHold, 'until' | 'isService'>, crawl: CrawlRow): SliceResult => ({
  ...{ next: 'wait', until },
  ...(isService ? { class: crawl.class } : {}),
});

/** All crawls wait for the disk: whole classes are held back. It is written once for each crawl that comes by. */
async function pauseForDisk(
  crawl: CrawlRow,
  { until, why }: DiskShortage,
  { store, clock }: EngineDependencies,
): Promise<SliceResult> {
  const wait: SliceResult = { next: 'wait', until, class: crawl.class };
  const now = store.read.crawl(crawl.id);
  if (!now || (now.state === 'paused' && now.reason === 'disk')) return wait;
  try {
    const leased = await store.write.lease(crawl.id, clock.now(), 0);
    if (!leased) return { next: 'done' };
    const { id: crawlId, lease, failures } = leased;
    const pause = { state: 'paused', reason: 'disk', error: why, failures, requests: [] } as const;
    await store.write.handBack({ crawlId, lease, at: clock.now(), ...pause });
  } catch (error) {
    // It stays as it is until there is room.
    if (!isDiskTrouble(error) && !(error instanceof StaleLeaseError)) throw error;
  }
  return wait;
}

async function runLeased(
  before: CrawlRow,
  passage: BreakerSession,
  ports: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const { store, clock, governor, disk, log, random } = ports;
  const crawlId = before.id;
  // A page may be asked for while the one before it is being stored: so many requests are on record late, at most.
  const inFlight = 2 * kindTable[before.kind as KindName].maxRequestsPerPage;
  using held = ports.budgets.trackCrawl(crawlId, before.inFlight);
  const leased = await store.write.lease(crawlId, clock.now(), inFlight);
  if (!leased) return { next: 'done' };
  held.begin();
  const startedAt = clock.now();
  const trail = createCommitPipeline(ports);
  let crawl: CrawlRow = leased;
  let draft: Draft | undefined;
  let unwritten: unknown;

  try {
    for (let steps = 0; steps < SLICE_STEPS && clock.now() - startedAt < SLICE_MS && !signals.stop.aborted; steps++) {
      const shortage = steps > 0 ? disk.checkSpace() : undefined;
      if (shortage) {
        await trail.flush();
        const { until, why } = shortage;
        return await handBack('paused', { next: 'wait', until, class: crawl.class }, { reason: 'disk', error: why });
      }
      draft = createDraft(ports, crawl, passage, signals.abort);
      const page = await crawlPage(crawl, draft, ports);
      // The page has its requests with it now: what fails from here on must not bring them to the account again.
      draft = undefined;
      crawl = after(page, crawl);
      await trail.commitPage(page);
      if (page.end) {
        const end = await trail.flush();
        disk.reportSuccess(crawlId);
        log.info({ crawl: crawlId, kind: crawl.kind, target: crawl.target, ...end }, 'crawl ended');
        return { next: 'done' };
      }
      // A crawl that begins (again) looks at the store: what it has just learnt should be there.
      if (crawl.cursor === null) await trail.flush();
    }
    await trail.flush();
    disk.reportSuccess(crawlId);
    return await handBack('queued', { next: 'again' });
  } catch (error) {
    return await trail
      .flush()
      .then(() => afterError(error).catch(cutShort))
      .catch(unstored);
  }

  /** What was sent stays in the account, whatever became of it. */
  async function unstored(error: unknown): Promise<SliceResult> {
    const requests = [...trail.unstoredRequests, ...(draft?.requests ?? [])];
    if (isDiskTrouble(error)) return await keepForDisk(error, requests);
    const isLost = error instanceof StaleLeaseError;
    if (!isLost && !isCounted(error)) {
      // Nothing can be stored now, perhaps not even this.
      await store.write.account(crawlId, crawl.lease, requests).catch(() => undefined);
      throw error;
    }
    await store.write.account(crawlId, crawl.lease, requests);
    // The crawl is in other hands.
    if (isLost) return { next: 'done' };
    log.error({ crawl: crawlId, stack: error.stack }, 'a bug of trawl: please report it');
    // What it was told may be what cannot be stored: it stands where the store has it.
    draft = undefined;
    crawl = { ...crawl, ...store.read.crawl(crawlId), lease: crawl.lease };
    return await again(error, 'bug').catch((failure: unknown) => {
      if (failure instanceof StaleLeaseError) return { next: 'done' };
      throw failure;
    });
  }

  /** The page is fetched again when there is room. @throws the error where not even that can be stored. */
  async function keepForDisk(error: Error, requests: readonly RequestEntry[]): Promise<SliceResult> {
    const { until, why } = disk.reportFailure(crawlId, error);
    const failures = store.read.crawl(crawlId)?.failures ?? 0;
    const pause = { state: 'paused', reason: 'disk', error: why, failures, requests } as const;
    try {
      await store.write.handBack({ crawlId, lease: crawl.lease, at: clock.now(), ...pause });
    } catch (failure) {
      if (!(failure instanceof StaleLeaseError)) throw failure;
      await store.write.account(crawlId, crawl.lease, requests);
      return { next: 'done' };
    }
    return { next: 'wait', until, class: crawl.class };
  }

  /** A mistake of ours, or a page that the store does not take though nothing is wrong with the disk or the file. */
  function isCounted(error: unknown): error is Error {
    if (isBug(error)) return true;
    return error instanceof Error && (error === trail.failure || error === unwritten) && !isTrouble(error);
  }

  /** Remembers which error a write failed with. */
  async function written<T>(write: Promise<T>): Promise<T> {
    return await write.catch((error: unknown) => {
      unwritten = error;
      throw error;
    });
  }

  /** Which error leads where: the classes of errors.ts say what happens next. */
  async function afterError(error: unknown): Promise<SliceResult> {
    if (error instanceof StaleLeaseError) throw error;
    if (signals.abort.aborted) return await handBack('queued', { next: 'again' });
    if (error instanceof PausedError && error.reason !== 'key_dead') return await rest(error);
    if (error instanceof PausedError) return await stop(new UnauthorizedError('the API key was refused'));
    if (error instanceof OutageError) return await holdBack(error);
    if (error instanceof BudgetSpentError) return await spent(error);
    if (error instanceof UnauthorizedError) {
      await governor.reportDeadKey(signals.abort);
      return await stop(error);
    }
    if (error instanceof ServiceError) {
      const quota =
        error instanceof QuotaExceededError ? error : await governor.explainAsQuotaError(error, signals.abort);
      if (quota) {
        const until = await governor.reportRefusal(quota, signals.abort);
        return await rest({ until, lookAt: until });
      }
    }
    if (error instanceof TransientError) return await afterNoAnswer(error);
    if (error instanceof TrawlError) return await fail(error);
    throw error;
  }

  /** Told to end at once while it asked the governor what an error means: the next activation finds out. */
  async function cutShort(error: unknown): Promise<SliceResult> {
    if (!signals.abort.aborted || error !== signals.abort.reason) throw error;
    return await handBack('queued', { next: 'again' });
  }

  async function rest({ until, lookAt }: Pick<PausedError, 'until' | 'lookAt'>): Promise<SliceResult> {
    const wait: SliceResult = { next: 'wait', until: lookAt, class: crawl.class };
    return await handBack('paused', wait, { reason: 'quota', resumeAt: until });
  }

  /** The run has sent what it may: until the next day, or for good. */
  async function spent({ until }: BudgetSpentError): Promise<SliceResult> {
    if (until !== undefined) {
      return await handBack('paused', { next: 'wait', until }, { reason: 'budget', resumeAt: until });
    }
    const { kind, target } = crawl;
    await keepDraft({ state: 'partial', reason: 'max_requests' });
    log.info({ crawl: crawlId, kind, target, state: 'partial', reason: 'max_requests' }, 'crawl ended');
    return { next: 'done' };
  }

  async function stop(error: UnauthorizedError): Promise<SliceResult> {
    return await handBack('paused', { next: 'stop', error }, { reason: 'unauthorized', error: error.message });
  }

  /** Counted as the crawl's own failure only where other targets succeed (invariant 14). */
  async function afterNoAnswer(error: TransientError): Promise<SliceResult> {
    const { unanswered } = draft ?? {};
    // The service did answer: what it said does not fit together.
    if (unanswered?.error !== error) return await again(error);
    const verdict = await passage.reportFailure({
      ...failureOf(unanswered),
      failedBefore: lastFailureOf(crawl, before, unanswered.sentAt),
    });
    if (verdict.isOwn) return await again(error);
    return await holdBack({ ...verdict, probeAt: verdict.until }, error);
  }

  /** The crawl waits until the service works again; nothing is counted. */
  async function holdBack(hold: RequestHold, error?: Error): Promise<SliceResult> {
    const { probeAt: resumeAt } = hold;
    log.debug({ crawl: crawlId, resumeAt, error: error?.message }, 'held back');
    return await handBack('paused', waitFor(hold, crawl), { reason: 'outage', error: error?.message, resumeAt });
  }

  /** Later, unless it was tried often enough. */
  async function again(error: Error, reason?: 'bug'): Promise<SliceResult> {
    const failures = crawl.failures + 1;
    if (failures >= MAX_FAILURES) return await fail(error, reason);
    const asked = error instanceof TransientError ? (error.retryAfterMs ?? 0) : 0;
    const resumeAt = clock.now() + Math.max(computeRetryDelay(failures, random), Math.min(asked, MAX_RETRY_AFTER));
    log.warn({ crawl: crawlId, failures, of: MAX_FAILURES, resumeAt, error: error.message }, 'will try again');
    const wait: SliceResult = { next: 'wait', until: resumeAt };
    return await handBack('paused', wait, { reason: 'retry', error: error.message, resumeAt, failures });
  }

  async function handBack(
    state: HandBack['state'],
    next: SliceResult,
    more: Partial<HandBack> = {},
  ): Promise<SliceResult> {
    // What was answered before the step had to stop need not be asked again.
    if (draft && (draft.beside.length > 0 || draft.raw.length > 0)) await keepDraft();
    const { lease, failures } = crawl;
    const requests = draft?.requests ?? [];
    await written(store.write.handBack({ crawlId, lease, at: clock.now(), state, failures, requests, ...more }));
    return next;
  }

  /** The crawl ends `failed`; its checkpoint stays. */
  async function fail(error: Error, reason = toFailureReason(error)): Promise<SliceResult> {
    const { kind, target } = crawl;
    await keepDraft({ state: 'failed', reason, error: error.message });
    log.warn({ crawl: crawlId, kind, target, reason, error: error.message }, 'crawl failed');
    return { next: 'done' };
  }

  /** Stores what the step was told before it failed, and leaves the checkpoint where it is. */
  async function keepDraft(end?: CrawlEnd): Promise<void> {
    const { lease, cursor, guard, targetId } = crawl;
    const kept = draft ? observed(draft) : { rows: NO_ROWS, requests: [] };
    const raw = await Promise.all((draft?.raw ?? []).map(packPage));
    const checkpoint = { cursor, guard, targetId, pages: 0, items: 0 };
    const page = { at: clock.now(), ...kept, crawlId, lease, from: cursor, raw, checkpoint, end, children: [] };
    await written(store.write.commit(page));
    // It is in the account now.
    draft = undefined;
  }
}

const failureOf = ({ endpoint, sentAt, error }: Unanswered) => ({
  ...{ endpoint, sentAt, isUnsent: !error.sent, why: error.message, retryAfterMs: error.retryAfterMs },
});

/** How long before a crawl's first failure the success of another target shows that the service works. */
const RECENT_MS = MINUTE;

/** When a crawl failed before, by the row as it was before this activation; some time ago where it did not. */
function lastFailureOf(crawl: CrawlRow, before: CrawlRow, now: number): number {
  const { state, reason, updatedAt, pages } = before;
  const hasFailed = state === 'paused' && (reason === 'retry' || reason === 'outage') && crawl.pages === pages;
  return hasFailed ? updatedAt : now - RECENT_MS;
}

/** The crawl as the store will have it when it has stored a page. */
function after(page: UnpackedCommit, crawl: CrawlRow): CrawlRow {
  const { checkpoint } = page;
  return {
    ...crawl,
    ...checkpoint,
    pages: crawl.pages + checkpoint.pages,
    items: crawl.items + checkpoint.items,
    rejected: crawl.rejected + rejectedIn(page),
    failures: 0,
  };
}
