import { MINUTE } from '../clock.ts';
import {
  BudgetSpentError,
  OutageError,
  PausedError,
  QuotaExceededError,
  ServiceError,
  StaleLeaseError,
  StoreError,
  TransientError,
  TrawlError,
  UnauthorizedError,
} from '../errors.ts';
import { createFailedEnd, createPartialEnd } from '../kinds/end-states.ts';
import type { RequestEntry } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import type { CommitPipeline } from './commit-pipeline.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { isBug, isDiskError, isStoreAtFault, toFailureReason } from './failures/error-classes.ts';
import { computeRetryDelay, MAX_FAILURES } from './failures/retry-policy.ts';
import { describeHold } from './holds.ts';
import type { BreakerSession, RequestHold } from './outage/breaker.ts';
import type { FetchRecord } from './page-requests.ts';
import { pausePriority, type SliceResult, type SliceSignals, waitForHold } from './slice-result.ts';
import { FailedWrite, type HandBackDetails, type SliceWrites } from './slice-writes.ts';

/** The slice in which an error happened. */
export interface FailedSlice {
  readonly dependencies: EngineDependencies;
  readonly session: BreakerSession;
  readonly signals: SliceSignals;
  readonly pipeline: CommitPipeline;
  readonly writes: SliceWrites;
  /** The row before the lease was taken. */
  readonly before: StoredCrawl;
  /** The row after the last page that was sent to the store. */
  readonly crawl: StoredCrawl;
  /** What the failed page cost; undefined where no page was under way. */
  readonly record: FetchRecord | undefined;
}

/** Ends a slice after an error: hands the crawl back, or ends it. All requests that were sent are put on record. */
export async function handleError(error: unknown, slice: FailedSlice): Promise<SliceResult> {
  const { pipeline, record } = slice;
  try {
    await pipeline.flush();
    if (error instanceof FailedWrite) throw error;
    return await decideAfterError(error, slice).catch(async (failure: unknown) => await handleAbort(failure, slice));
  } catch (failure) {
    const isWrite = failure instanceof FailedWrite;
    const requests = [...pipeline.unstoredRequests, ...(isWrite ? failure.requests : (record?.requests ?? []))];
    return isWrite
      ? await recordUnstored(failure.error, true, requests, slice)
      : await recordUnstored(failure, failure === pipeline.failure, requests, slice);
  }
}

/** Branches on the class of the error (errors.ts). @throws the error if it is not one of the service */
async function decideAfterError(error: unknown, slice: FailedSlice): Promise<SliceResult> {
  const { signals } = slice;
  const { governor, contact } = slice.dependencies;
  if (error instanceof StaleLeaseError || error instanceof StoreError) throw error;
  if (signals.abort.aborted) return await requeue(slice);
  if (error instanceof PausedError && error.reason !== 'key_dead') return await waitForQuota(error, needAtOnce(slice));
  if (error instanceof PausedError) return await stopForKey(new UnauthorizedError('the API key was refused'), slice);
  if (error instanceof OutageError)
    return await waitForService(error, slice, error.cause instanceof Error ? error.cause : undefined);
  if (error instanceof BudgetSpentError) return await waitForBudget(error, slice);
  if (error instanceof UnauthorizedError) {
    await governor.reportDeadKey(signals.abort);
    return await stopForKey(error, slice);
  }
  if (error instanceof ServiceError) {
    const quota =
      error instanceof QuotaExceededError ? error : await governor.explainAsQuotaError(error, signals.abort);
    if (quota) {
      const until = await governor.reportRefusal(quota, signals.abort);
      return await waitForQuota({ until, lookAt: until, reason: 'refused' }, slice);
    }
  }
  if (error instanceof TransientError && error.isForeign && contact?.isFirst === true)
    return await pause(slice, { next: 'stop', error }, { reason: 'outage', error: error.message });
  if (error instanceof TransientError) return await handleTransientError(error, slice);
  if (error instanceof TrawlError) return await failCrawl(error, slice);
  throw error;
}

/** An abort while the governor was asked what an error means: the next slice finds out. @throws any other failure */
async function handleAbort(failure: unknown, slice: FailedSlice): Promise<SliceResult> {
  const { abort } = slice.signals;
  if (!abort.aborted || failure !== abort.reason) throw failure;
  return await requeue(slice);
}

const requeue = ({ writes, crawl, record }: FailedSlice): Promise<SliceResult> =>
  writes.handBack(crawl, 'queued', { next: 'again' }, {}, record);

const pause = ({ writes, crawl, record }: FailedSlice, next: SliceResult, details: HandBackDetails) =>
  writes.handBack(crawl, 'paused', next, details, record);

const waitForQuota = (
  { until, lookAt, reason }: Pick<PausedError, 'until' | 'lookAt' | 'reason'>,
  slice: FailedSlice,
) =>
  pause(slice, pausePriority(lookAt, slice.crawl), {
    // `low` also stands for a token-info that does not answer.
    reason: reason === 'refused' ? reason : 'quota',
    resumeAt: until,
  });

/** A page whose further request finds no quota begins anew when all that it is known to need can be reserved together. */
function needAtOnce(slice: FailedSlice): FailedSlice {
  const { crawl, record } = slice;
  const sentCount = record?.requests.length ?? 0;
  if (sentCount === 0) return slice;
  const requestsAtOnce = Math.max(crawl.checkpoint.requestsAtOnce ?? 0, sentCount + 1);
  return { ...slice, crawl: { ...crawl, checkpoint: { ...crawl.checkpoint, requestsAtOnce } } };
}

/** The budget of the run is spent: until the next day, or for good. */
async function waitForBudget({ until }: BudgetSpentError, slice: FailedSlice): Promise<SliceResult> {
  if (until !== undefined) return await pause(slice, { next: 'wait', until }, { reason: 'budget', resumeAt: until });
  const { dependencies, writes, crawl, record } = slice;
  const end = createPartialEnd('max_requests');
  const done = await writes.endCrawl(crawl, end, record);
  dependencies.log.info({ crawl: crawl.id, kind: crawl.kind, target: crawl.target, ...end }, 'crawl ended');
  return done;
}

const stopForKey = (error: UnauthorizedError, slice: FailedSlice): Promise<SliceResult> =>
  pause(slice, { next: 'stop', error }, { reason: 'unauthorized', error: error.message });

/** Counts as the crawl's own failure only where other targets succeed (invariant 14). */
async function handleTransientError(error: TransientError, slice: FailedSlice): Promise<SliceResult> {
  const { session, before, crawl, record } = slice;
  const unanswered = record?.unanswered;
  // The service did respond, and contradicted itself.
  if (unanswered?.error !== error) return await retryLater(error, slice);
  const { endpoint, sentAt } = unanswered;
  const { sent, message, retryAfterMs } = error;
  const failedBefore = findLastFailure(crawl, before, sentAt);
  const failure = { endpoint, sentAt, isUnsent: !sent, why: message, retryAfterMs, failedBefore };
  const verdict = await session.reportFailure(failure);
  if (verdict.isOwn) return await retryLater(error, slice);
  return await waitForService({ ...verdict, probeAt: verdict.until }, slice, error);
}

/** The crawl waits until the service works again; no failure is counted. */
async function waitForService(hold: RequestHold, slice: FailedSlice, error?: Error): Promise<SliceResult> {
  const { dependencies, crawl } = slice;
  const details = { error: error?.message, resumeAt: hold.probeAt };
  dependencies.log.debug({ crawl: crawl.id, ...details }, 'held back');
  return await pause(slice, waitForHold(hold, crawl), { reason: 'outage', ...details });
}

/** Retries later, or fails the crawl after too many failures. */
async function retryLater(error: Error, slice: FailedSlice, reason?: 'bug'): Promise<SliceResult> {
  const { dependencies, crawl } = slice;
  const { clock, random, log } = dependencies;
  const failures = crawl.consecutiveFailures + 1;
  if (failures >= MAX_FAILURES) return await failCrawl(error, slice, reason);
  const retryAfterMs = error instanceof TransientError ? error.retryAfterMs : undefined;
  const resumeAt = clock.now() + computeRetryDelay(failures, random, retryAfterMs);
  const hold = { kind: 'retry', failures, until: resumeAt, why: error.message } as const;
  log.warn(
    { crawl: crawl.id, failures, of: MAX_FAILURES, resumeAt, error: error.message },
    describeHold(hold, clock.now()),
  );
  const details = { reason: 'retry', error: error.message, resumeAt, failures };
  return await pause(slice, { next: 'wait', until: resumeAt }, details);
}

/** The crawl ends `failed`; its checkpoint stays. */
async function failCrawl(error: Error, slice: FailedSlice, reason = toFailureReason(error)): Promise<SliceResult> {
  const { dependencies, writes, crawl, record } = slice;
  const { id, kind, target } = crawl;
  const done = await writes.endCrawl(crawl, createFailedEnd(reason, error), record);
  if (done.next === 'done')
    dependencies.log.warn({ crawl: id, kind, target, reason, error: error.message }, 'crawl failed');
  return done;
}

/**
 * A write failed, or a bug was met. The requests go on record in any case. @param isWrite the error is one of a write.
 * @throws the error unless it is the disk's, a lost lease, or one that counts as a failure of the crawl
 */
async function recordUnstored(
  error: unknown,
  isWrite: boolean,
  requests: readonly RequestEntry[],
  slice: FailedSlice,
): Promise<SliceResult> {
  const { store, log } = slice.dependencies;
  const { id, leaseToken: lease } = slice.crawl;
  if (isDiskError(error)) return await pauseWithRequests(error, requests, slice);
  const isLeaseLost = error instanceof StaleLeaseError;
  // A page that the store refuses counts, if nothing is wrong with the disk or the file.
  const isCounted = error instanceof Error && (isBug(error) || (isWrite && !isStoreAtFault(error)));
  if (!isLeaseLost && !isCounted) {
    // The store may take nothing now, not even this.
    await store.write.recordRequests(id, lease, requests).catch(() => undefined);
    throw error;
  }
  await store.write.recordRequests(id, lease, requests);
  // Another worker has the crawl.
  if (isLeaseLost) return { next: 'done' };
  log.error({ crawl: id, stack: error.stack }, 'a bug of trawl: please report it');
  // The record may be what cannot be stored: the crawl goes on from the stored crawl.
  const crawl = { ...slice.crawl, ...(await store.queries.loadCrawl(id)), lease };
  return await retryLater(error, { ...slice, crawl, record: undefined }, 'bug').catch((failure: unknown) => {
    const cause = failure instanceof FailedWrite ? failure.error : failure;
    if (cause instanceof StaleLeaseError) return { next: 'done' };
    throw cause;
  });
}

/** Pauses for the disk: the page is fetched again when there is room. @throws the error of the write, if it fails, too */
async function pauseWithRequests(
  error: Error,
  requests: readonly RequestEntry[],
  { dependencies, writes, crawl }: FailedSlice,
): Promise<SliceResult> {
  const { store, disk } = dependencies;
  const { id, leaseToken: lease } = crawl;
  const shortage = disk.reportFailure(error);
  const failures = (await store.queries.loadCrawl(id))?.consecutiveFailures ?? 0;
  try {
    return await writes.pauseForDisk(crawl, shortage, failures, requests);
  } catch (failure) {
    if (!(failure instanceof StaleLeaseError)) throw failure;
    await store.write.recordRequests(id, lease, requests);
    return { next: 'done' };
  }
}

/** How long before a crawl's first failure another target's success shows that the service works. */
const RECENT_MS = MINUTE;

/** When a crawl failed before, by its row before this slice; some time before the request if it did not. */
function findLastFailure(crawl: StoredCrawl, before: StoredCrawl, sentAt: number): number {
  const { state, reason, updatedAt, pages } = before;
  const hasFailed = state === 'paused' && (reason === 'retry' || reason === 'outage') && crawl.pages === pages;
  return hasFailed ? updatedAt : sentAt - RECENT_MS;
}
