import { SECOND } from '../../base/clock.ts';
import { StaleLeaseError } from '../../base/errors.ts';
import { ACCOUNT_ERASED } from '../../service/kinds/end-states.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { LeaseRelease } from '../../store/schema/messages.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import { type GateHold, toSliceResult } from '../gates/gates.ts';
import type { BreakerSession } from '../gates/outage/breaker.ts';
import { toQuotaHold } from '../gates/request-gates.ts';
import { crawlPage, type FailedPage } from '../page/crawl-page.ts';
import { createCommitPipeline } from './commit-pipeline.ts';
import type { EngineDependencies } from './engine-dependencies.ts';
import { handleError } from './error-handling.ts';
import { isDiskError } from './failures/error-classes.ts';
import type { SliceResult, SliceSignals } from './slice-result.ts';
import { createSliceWrites, type HandBackDetails } from './slice-writes.ts';

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
  const shortage = dependencies.disk.admitCrawl();
  if (shortage) return await pauseForDisk(crawl, shortage, dependencies);
  try {
    return await runAdmitted(crawl, dependencies, signals);
  } catch (error) {
    if (!isDiskError(error)) throw error;
    return await pauseForDisk(crawl, dependencies.disk.reportFailure(error), dependencies);
  }
}

async function runAdmitted(
  crawl: StoredCrawl,
  dependencies: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const pause = await dependencies.governor.checkPause(crawl.priority, signals.stop);
  if (pause) return toSliceResult(toQuotaHold(pause), crawl);
  const session = dependencies.breaker.startSession(crawl.target);
  try {
    const hold = await session.checkEndpoint(getKind(crawl.kind).endpoint);
    return hold ? toSliceResult(hold, crawl) : await runLeased(crawl, session, dependencies, signals);
  } finally {
    await session.close();
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
    await createSliceWrites(dependencies).handBack(leased, 'paused', shortage);
  } catch (error) {
    // The crawl stays as it is until there is room.
    if (!isDiskError(error) && !(error instanceof StaleLeaseError)) throw error;
  }
  return wait;
}

async function runLeased(
  before: StoredCrawl,
  session: BreakerSession,
  dependencies: EngineDependencies,
  signals: SliceSignals,
): Promise<SliceResult> {
  const { store, clock, disk, log, source } = dependencies;
  const crawlId = before.id;
  // A page may be requested while the one before it is being stored: so many requests are recorded late, at most.
  const inFlight = 2 * (getKind(before.kind).maxRequestsPerPage + CONTROL_REQUESTS);
  using tracking = dependencies.budgets.trackCrawl(crawlId, before.inFlightRequests);
  const leased = await store.write.takeLease(crawlId, clock.now(), inFlight, source);
  if (!leased) return { next: 'done' };
  tracking.begin();
  const startedAt = clock.now();
  const failedAt = findLastFailure(before);
  const writes = createSliceWrites(dependencies);
  const pipeline = createCommitPipeline(writes.commitPage, dependencies.announceCrawls);
  let crawl = leased;

  try {
    const ended = await crawlPages().catch((error: unknown) => ({ error, record: undefined }));
    if ('next' in ended) return ended;
    return await handleError(ended, { dependencies, signals, pipeline, writes, crawl });
  } finally {
    dependencies.staging?.discardPages({ crawlId, lease: leased.leaseToken });
  }

  async function crawlPages(): Promise<SliceResult | FailedPage> {
    for (let pages = 0; pages < MAX_PAGES && clock.now() - startedAt < MAX_MS && !signals.stop.aborted; pages++) {
      const shortage = pages > 0 ? disk.checkSpace() : undefined;
      if (shortage) return await handBack('paused', toSliceResult(shortage, crawl), shortage);
      const page = await crawlPage(crawl, dependencies, {
        session,
        signal: signals.abort,
        failedAt: crawl.pages === before.pages ? failedAt : undefined,
        storePages: pipeline.flush,
      });
      if ('error' in page) return page;
      ({ crawl } = page);
      await pipeline.commitPage(page.commit);
      if (page.retry && page.retry.waitMs > 0) {
        const until = clock.now() + page.retry.waitMs;
        const details = { reason: 'retry', error: page.retry.why, resumeAt: until };
        return await handBack('paused', { next: 'wait', until }, details);
      }
      if (page.commit.end) {
        const end = await pipeline.flush();
        // A control request comes first.
        if (!end) return await handBack('queued', { next: 'again' });
        disk.reportSuccess();
        const target = end?.reason === ACCOUNT_ERASED.reason ? undefined : crawl.target;
        log.info({ crawl: crawlId, kind: crawl.kind, target, ...end }, 'crawl ended');
        return { next: 'done' };
      }
      // The first page reads from the store what the last one wrote.
      // The store ends a crawl whose account it has forgotten.
      if (crawl.cursor === null && (await pipeline.flush())) return { next: 'done' };
    }
    await pipeline.flush();
    disk.reportSuccess();
    return await handBack('queued', { next: 'again' });
  }

  async function handBack(
    state: LeaseRelease['state'],
    next: SliceResult,
    details?: HandBackDetails,
  ): Promise<SliceResult> {
    await pipeline.flush();
    await writes.handBack(crawl, state, details);
    return next;
  }
}
