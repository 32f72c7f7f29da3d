import { StaleLeaseError, StoreError, TransientError, TrawlError } from '#base/errors.ts';
import { describeHold } from '#crawl/gates/describe-holds.ts';
import { HeldError, toSliceResult } from '#crawl/gates/gates.ts';
import type { FailedPage } from '#crawl/page/crawl-page.ts';
import { type CrawlEnd, createFailedEnd, createPartialEnd } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { isBug, isDiskError, isStoreAtFault, toFailureReason } from './failures/error-classes.ts';
import { computeRetryDelay, MAX_FAILURES } from './failures/retry-policy.ts';
import type { SliceResult, SliceSignals } from './slice-result.ts';
import { type SliceWrites, handBackCrawl } from './slice-writes.ts';

/** The slice in which an error happened. */
export interface RunningSlice {
  readonly dependencies: EngineDependencies;
  readonly signals: SliceSignals;
  readonly writes: SliceWrites;
  /** The row after the last page that was sent to the store. */
  readonly crawl: StoredCrawl;
}

interface FailedSlice extends RunningSlice, Pick<FailedPage, 'record'> {}

/** Ends a slice after an error: hands the crawl back, or ends it. All requests that were sent are put on record. */
export async function handleError({ error, record }: FailedPage, before: RunningSlice): Promise<SliceResult> {
  const { writes } = before;
  const slice = { ...before, record };
  for (const request of record?.requests ?? []) writes.unstored.add(request);
  try {
    await writes.flush();
    return await react(error, slice);
  } catch (failure) {
    return await recordUnstored(failure, slice);
  }
}

/** Branches on the class of the error. @throws the error if it is not one of the service */
async function react(error: unknown, slice: FailedSlice): Promise<SliceResult> {
  const { signals, writes, crawl, record } = slice;
  if (error instanceof StaleLeaseError || error instanceof StoreError) throw error;
  if (signals.abort.aborted) {
    await handBackCrawl(writes, crawl, 'queued', {}, record);
    return { next: 'again' };
  }
  if (error instanceof HeldError) return await waitForGate(error, slice);
  if (error instanceof TransientError) return await retryLater(error, slice);
  if (error instanceof TrawlError) return await failCrawl(error, slice);
  throw error;
}

/** The crawl waits; no failure is counted. If the budget of its run is spent for good, it ends. */
async function waitForGate(error: HeldError, slice: FailedSlice): Promise<SliceResult> {
  const { dependencies, writes, crawl, record } = slice;
  const { hold } = error;
  const { reason } = hold;
  if (reason === 'budget' && hold.until === Infinity) return await endCrawl(createPartialEnd('max_requests'), slice);
  dependencies.log.debug({ crawl: crawl.id, ...hold }, 'held back');
  await handBackCrawl(writes, withNeeds(error, slice), 'paused', hold, record);
  return toSliceResult(hold, crawl);
}

/**
 * A page whose further request is held begins anew when all the quota that it is known to need can be reserved together, and
 * when the endpoint that was out may be requested: each try costs its first requests again (invariant 9).
 */
function withNeeds({ hold, cause }: HeldError, { crawl, record }: FailedSlice): StoredCrawl {
  const { kind, checkpoint } = crawl;
  const { reason, endpoint } = hold;
  const sentCount = record?.requests.length ?? 0;
  if (sentCount === 0) return crawl;
  const isOutOfQuota = cause === undefined && (reason === 'quota' || reason === 'refused');
  const requestsAtOnce = isOutOfQuota
    ? Math.max(checkpoint.requestsAtOnce ?? 0, sentCount + 1)
    : checkpoint.requestsAtOnce;
  const heldEndpoint = endpoint === getKind(kind).endpoint ? undefined : endpoint;
  return { ...crawl, checkpoint: { ...checkpoint, requestsAtOnce, heldEndpoint } };
}

/** Retries later, or fails the crawl after too many failures. */
async function retryLater(error: Error, slice: FailedSlice, reason?: 'bug'): Promise<SliceResult> {
  const { dependencies, writes, crawl, record } = slice;
  const { clock, random, log } = dependencies;
  const failures = crawl.consecutiveFailures + 1;
  if (failures >= MAX_FAILURES) return await failCrawl(error, slice, reason);
  const retryAfterMs = error instanceof TransientError ? error.retryAfterMs : undefined;
  const until = clock.now() + computeRetryDelay(failures, random, retryAfterMs);
  const { message: why } = error;
  log.warn(
    { crawl: crawl.id, failures, of: MAX_FAILURES, resumeAt: until, error: why },
    describeHold({ kind: 'retry', failures, until, why }, clock.now()),
  );
  await handBackCrawl(writes, crawl, 'paused', { reason: 'retry', error: why, resumeAt: until, failures }, record);
  return { next: 'wait', until };
}

/** The crawl ends `failed`; its checkpoint stays. */
const failCrawl = (error: Error, slice: FailedSlice, reason = toFailureReason(error)): Promise<SliceResult> =>
  endCrawl(createFailedEnd(reason, error), slice);

/** Ends the crawl where it is, unless a control request has to come first. */
async function endCrawl(end: CrawlEnd, { dependencies, writes, crawl, record }: FailedSlice): Promise<SliceResult> {
  const stored = await writes.commitRecord(crawl, record, end);
  if (!stored.end) {
    await writes.release(crawl, 'queued', {}, []);
    return { next: 'again' };
  }
  const { id, kind, target } = crawl;
  const { log } = dependencies;
  if (end.state === 'failed') log.warn({ crawl: id, kind, target, ...end }, 'crawl failed');
  else log.info({ crawl: id, kind, target, ...end }, 'crawl ended');
  return { next: 'done' };
}

/**
 * A write failed, or a bug was met. The requests go on record in any case.
 * @throws the error unless it is the disk's, a lost lease, or one that counts as a failure of the crawl
 */
async function recordUnstored(error: unknown, slice: FailedSlice): Promise<SliceResult> {
  const { writes } = slice;
  const { store, log } = slice.dependencies;
  const { id, leaseToken: lease } = slice.crawl;
  if (isDiskError(error)) return await pauseForDisk(error, slice);
  const requests = [...writes.unstored];
  const isLeaseLost = error instanceof StaleLeaseError;
  // A page that the store refuses counts, if nothing is wrong with the disk or the file.
  const isCounted = error instanceof Error && (isBug(error) || (writes.isOfWrite(error) && !isStoreAtFault(error)));
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
  return await retryLater(error, { ...slice, crawl, record: undefined }, 'bug').catch(toLostLease);
}

/** Pauses for the disk: the page is fetched again when there is room. @throws the error of the write, if it fails, too */
async function pauseForDisk(error: StoreError, { dependencies, writes, crawl }: FailedSlice): Promise<SliceResult> {
  const { store, disk } = dependencies;
  const hold = disk.reportFailure(error);
  const failures = (await store.queries.loadCrawl(crawl.id))?.consecutiveFailures ?? 0;
  const requests = [...writes.unstored];
  try {
    await writes.release(crawl, 'paused', { ...hold, failures }, requests);
    return toSliceResult(hold, crawl);
  } catch (failure) {
    const lost = toLostLease(failure);
    await store.write.recordRequests(crawl.id, crawl.leaseToken, requests);
    return lost;
  }
}

/** Another worker has the crawl. @throws any other error */
function toLostLease(error: unknown): SliceResult {
  if (!(error instanceof StaleLeaseError)) throw error;
  return { next: 'done' };
}
