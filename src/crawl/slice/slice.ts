import { SECOND } from '#base/clock.ts';
import { StaleLeaseError } from '#base/errors.ts';
import { type GateHold, HeldError, passGates, toSliceResult } from '#crawl/gates/gates.ts';
import type { BreakerSession } from '#crawl/gates/outage/breaker.ts';
import { createRequestGates, type RequestGates, createSliceGates } from '#crawl/gates/request-gates.ts';
import { crawlPage, type FailedPage } from '#crawl/page/crawl-page.ts';
import { ACCOUNT_ERASED } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import type { LeaseRelease } from '#store/schema/commit-messages.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { handleError, type RunningSlice } from './error-handling.ts';
import { isDiskError } from './failures/error-classes.ts';
import type { SliceResult, SliceSignals } from './slice-result.ts';
import { createSliceWrites, handBackCrawl, type HandBackDetails } from './slice-writes.ts';

/** The pages and the time of one slice; then the crawl goes to the end of the queue. */
const MAX_PAGES = 100;
const MAX_MS = 10 * SECOND;
/** The most control requests of a page: after one that succeeded, none follows. */
const CONTROL_REQUESTS = 1;

/**
 * Takes a crawl's lease and crawls its pages until it ends, has to wait, or has used its slice. During a pause or an outage
 * nothing is written, as all workers try each crawl again and again.
 */
export async function runSlice(
  crawlId: number,
  dependencies: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const crawl = await dependencies.store.queries.loadCrawl(crawlId);
  if (!crawl || crawl.finishedAt !== null) return { next: 'done' };
  const due = findDueTime(crawl);
  if (due > dependencies.clock.now()) return { next: 'wait', until: due };
  const session = dependencies.breaker.startSession(crawl.target);
  const gates = createSliceGates(dependencies, crawl, session, signals.stop);
  try {
    const settle = await passGates(gates, crawl.checkpoint.heldEndpoint ?? getKind(crawl.kind).endpoint);
    const outcome = await runLeased(crawl, session, dependencies, signals).catch((error: unknown) => ({ error }));
    const error = await settle('next' in outcome ? undefined : outcome.error);
    if (error !== undefined || !('next' in outcome)) throw error;
    return outcome;
  } catch (error) {
    if (!(error instanceof HeldError)) throw error;
    const { hold } = error;
    return hold.reason === 'disk' ? await pauseForDisk(crawl, hold, dependencies) : toSliceResult(hold, crawl);
  }
}

/** When a crawl that waits for a retry or its budget may go on. The end of an outage wakes its job earlier. */
const findDueTime = ({ state, reason, resumeAt }: StoredCrawl): number =>
  state === 'paused' && (reason === 'retry' || reason === 'budget') ? (resumeAt ?? 0) : 0;

/** When a crawl failed before; undefined if it did not. */
const findLastFailure = ({ state, reason, updatedAt }: StoredCrawl): number | undefined =>
  state === 'paused' && (reason === 'retry' || reason === 'outage') ? updatedAt : undefined;

/** Pauses for the disk, as all crawls of the priority do. The pause is written once per crawl. */
async function pauseForDisk(
  crawl: StoredCrawl,
  shortage: GateHold,
  dependencies: EngineDependencies,
): Promise<SliceResult> {
  const { store, clock } = dependencies;
  const wait = toSliceResult(shortage, crawl);
  const now = await store.queries.loadCrawl(crawl.id);
  if (!now || (now.state === 'paused' && now.reason === 'disk')) return wait;
  try {
    const leased = await store.write.takeLease(crawl.id, clock.now(), 0);
    if (!leased) return { next: 'done' };
    await handBackCrawl(createSliceWrites(dependencies), leased, 'paused', shortage);
  } catch (error) {
    // The crawl stays as it is until there is room.
    if (!isDiskError(error) && !(error instanceof StaleLeaseError)) throw error;
  }
  return wait;
}

/** A slice that has the lease of its crawl. */
interface LeasedSlice extends RunningSlice {
  readonly session: BreakerSession;
  readonly gates: RequestGates;
  crawl: StoredCrawl;
}

async function runLeased(
  before: StoredCrawl,
  session: BreakerSession,
  dependencies: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const { store, clock, budgets, source, staging } = dependencies;
  const crawlId = before.id;
  // A page may be requested while the one before it is being stored: so many requests are recorded late, at most.
  const inFlight = 2 * (getKind(before.kind).maxRequestsPerPage + CONTROL_REQUESTS);
  using tracking = budgets.trackCrawl(crawlId, before.inFlightRequests);
  const crawl = await store.write.takeLease(crawlId, clock.now(), inFlight, source);
  if (!crawl) return { next: 'done' };
  tracking.begin();
  const writes = createSliceWrites(dependencies);
  const gates = createRequestGates(dependencies, crawl, {
    session,
    signal: signals.abort,
    failedAt: () => (slice.crawl.pages === before.pages ? findLastFailure(before) : undefined),
  });
  const slice: LeasedSlice = { dependencies, signals, session, gates, writes, crawl };
  try {
    const ended = await crawlPages(slice).catch((error: unknown) => ({ error, record: undefined }));
    return 'next' in ended ? ended : await handleError(ended, slice);
  } finally {
    staging?.discardPages({ crawlId, lease: crawl.leaseToken });
  }
}

async function crawlPages(slice: LeasedSlice): Promise<SliceResult | FailedPage> {
  const { signals, writes } = slice;
  const { clock, disk } = slice.dependencies;
  const startedAt = clock.now();
  for (let pages = 0; pages < MAX_PAGES && clock.now() - startedAt < MAX_MS && !signals.stop.aborted; pages++) {
    const shortage = pages > 0 ? disk.checkSpace() : undefined;
    if (shortage) return await handBack(slice, 'paused', toSliceResult(shortage, slice.crawl), shortage);
    const ended = await crawlNextPage(slice);
    if (ended) return ended;
  }
  await writes.flush();
  disk.reportSuccess();
  return await handBack(slice, 'queued', { next: 'again' });
}

/** Crawls and commits a page. Undefined if another one follows in this slice. */
async function crawlNextPage(slice: LeasedSlice): Promise<SliceResult | FailedPage | undefined> {
  const { dependencies, signals, session, gates, writes, crawl: current } = slice;
  const { clock, disk, log } = dependencies;
  const page = await crawlPage(current, dependencies, {
    session,
    gates,
    signal: signals.abort,
    storePages: writes.flush,
  });
  if ('error' in page) return page;
  const { crawl, commit, retry } = page;
  slice.crawl = crawl;
  await writes.commitPage(commit);
  if (retry && retry.waitMs > 0) {
    const until = clock.now() + retry.waitMs;
    const details = { reason: 'retry', error: retry.why, resumeAt: until };
    return await handBack(slice, 'paused', { next: 'wait', until }, details);
  }
  if (commit.end) {
    const end = await writes.flush();
    // A control request comes first.
    if (!end) return await handBack(slice, 'queued', { next: 'again' });
    disk.reportSuccess();
    const target = end.reason === ACCOUNT_ERASED.reason ? undefined : crawl.target;
    log.info({ crawl: crawl.id, kind: crawl.kind, target, ...end }, 'crawl ended');
    return { next: 'done' };
  }
  // The first page reads from the store what the last one wrote.
  // The store ends a crawl whose account it has forgotten.
  if (crawl.cursor === null && (await writes.flush())) return { next: 'done' };
  return undefined;
}

async function handBack(
  { writes, crawl }: LeasedSlice,
  state: LeaseRelease['state'],
  next: SliceResult,
  details?: HandBackDetails,
): Promise<SliceResult> {
  await writes.flush();
  await handBackCrawl(writes, crawl, state, details);
  return next;
}
