import { waitUnlessAborted } from '#base/abortable-wait.ts';
import { SECOND, systemClock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { openWorkContext, type WorkContext } from '#composition.ts';
import type { Config } from '#config.ts';
import { type HoldConditions, isBlocked, type WaitingCrawl } from '#crawl/gates/describe-holds.ts';
import type { DiskEvent } from '#crawl/gates/disk-guard.ts';
import type { OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import type { OutageEvent } from '#crawl/gates/outage/outage-events.ts';
import { addPlans } from '#crawl/planning/plan.ts';
import { SOFT_LOCK_MS, SOFT_LOCK_RENEWAL_MS, createRunName } from '#crawl/queue/soft-locks.ts';
import { isDiskError } from '#crawl/slice/failures/error-classes.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { ServiceKey } from '#service/quota/service-key.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { MinFreeSpace } from '#store/sqlite/disk-space.ts';
import { findReplacement } from '#store/sqlite/file-watch.ts';
import type { StoreReads } from '#store/store-reads.ts';
import type { Store } from '#store/store.ts';
import { beginRun, type BudgetOptions } from './begin-run.ts';
import { countUnfinished, followCrawls, type ProgressSnapshot } from './follow-crawls.ts';
import { RUN_WAIT_MS } from './run-defaults.ts';

/** The settings of a run of crawls. */
export interface RunSettings extends BudgetOptions {
  readonly config: Config;
  readonly service: ServiceKey;
  /** The store's file. */
  readonly db: string;
  readonly log: Log;
  /** The maximum number of concurrent crawls. */
  readonly concurrency: number;
  readonly keepRaw?: boolean | undefined;
  readonly minFree?: MinFreeSpace | undefined;
  /** How long to wait during an outage of the service or on a full disk, in ms. */
  readonly waitMs?: number | undefined;
  /** Stops the run after the pages in progress; crawls are kept. */
  readonly signal: AbortSignal;
}

/** Receives the rows of the running crawls, several times per second. Disposed of when the workers have stopped. */
export interface ProgressView extends Disposable {
  show(rows: readonly CrawlRow[], snapshot: ProgressSnapshot): void;
}

/** The callbacks of a run, which prints nothing itself. */
export interface RunListener {
  /** Called when the store and the queue are open, before any crawl is queued. If it throws, no crawl is queued. */
  readonly onOpen?: (work: WorkContext) => Promise<void> | void;
  /** Called with the number of unfinished crawls that the run resumes, if there are any. */
  readonly onResume?: (crawls: number) => void;
  readonly startProgress?: (store: Store, rows: readonly CrawlRow[]) => Promise<ProgressView> | ProgressView;
  readonly onWarning?: (message: string) => void;
  readonly onOutage?: (event: OutageEvent) => void;
  readonly onDisk?: (event: DiskEvent) => void;
  /** Called when the wait for the service or the disk has timed out. */
  readonly onWaitTimeout?: (waitMs: number, isForDisk: boolean) => void;
  /** Called with the crawls before an error is thrown, unless the store was replaced. */
  readonly onFailure?: (rows: readonly CrawlRow[]) => void;
}

/** The later stages of a run, and its outcome. */
export interface RunStages<T> {
  /** Returns the crawls of the next stage when all earlier ones have ended; none after the last stage. */
  nextSpecs(read: StoreReads, rows: readonly CrawlRow[]): readonly CrawlSpec[];
  /** @param rows all crawls and their descendants, which may be unfinished. */
  readOutcome(read: StoreReads, rows: readonly CrawlRow[]): T;
}

export interface RunResult<T> {
  /** The crawls and their descendants. */
  readonly rows: CrawlRow[];
  /** The ids of the requested crawls. */
  readonly ids: readonly number[];
  readonly outcome: T | undefined;
}

/**
 * Runs crawls in this process until they have ended, the wait for the service or the disk has timed out, or the signal is
 * aborted. @throws UnauthorizedError, StoreError, TransientError if the service has never answered this store; the signal's reason if it is aborted before the start.
 */
export async function runCrawlsToEnd<T = undefined>(
  specs: readonly CrawlSpec[],
  settings: RunSettings,
  listener: RunListener,
  stages?: RunStages<T>,
): Promise<RunResult<T>> {
  const run = createRunName();
  const { config, service, db, log, keepRaw, minFree, signal } = settings;
  const { onWarning, onOutage, onDisk } = listener;
  await using work = await openWorkContext({
    config,
    run,
    db,
    service,
    log,
    keepRaw,
    minFree,
    signal,
    onWarning,
    onOutage,
    onDisk,
    endsAtFirstContact: true,
  });
  signal.throwIfAborted();
  await listener.onOpen?.(work);
  const renewal = setInterval(() => {
    // If a renewal fails, the next one comes long before the lock expires.
    work.store.write.setSoftLock({ owner: run, until: systemClock.now() + SOFT_LOCK_MS }).catch(() => undefined);
  }, SOFT_LOCK_RENEWAL_MS);
  let ids: readonly number[] = [];
  let rows: CrawlRow[] = [];
  try {
    const runId = await beginRun(work.store.write, settings);
    for (let more = specs; more.length > 0;) {
      ids = [...new Set([...ids, ...(await enqueue(work, more, runId, listener))])];
      rows = await followWork(work, ids, settings, listener);
      more = signal.aborted || countUnfinished(rows) > 0 ? [] : (stages?.nextSpecs(work.store.read, rows) ?? []);
    }
  } catch (error) {
    if (!findReplacement(work.store.files)) listener.onFailure?.(work.store.read.crawlTree(ids));
    throw error;
  } finally {
    clearInterval(renewal);
    // On a full disk, the lock expires.
    await work.store.write.setSoftLock({ owner: run, until: 0 }).catch((error: unknown) => {
      if (!isDiskError(error)) throw error;
    });
  }
  return { rows, ids, outcome: stages?.readOutcome(work.store.read, rows) };
}

/** Queues crawls, and reports those that are resumed. Returns the ids. */
async function enqueue(
  { producer, store }: WorkContext,
  specs: readonly CrawlSpec[],
  runId: number | undefined,
  { onResume }: RunListener,
): Promise<number[]> {
  const inRun = specs.map((spec) => ({ ...spec, runId }));
  const opened = await producer.enqueue(await addPlans(inRun, store.planningQueries(), systemClock.now()));
  const ids = [...new Set(opened.map(({ id }) => id))];
  // A repeated target joins its own crawl, which is not reported.
  const created = new Set(opened.filter((crawl) => !crawl.isJoined).map(({ id }) => id));
  const joined = countUnfinished(store.read.crawlTree(ids.filter((id) => !created.has(id))));
  if (joined > 0) onResume?.(joined);
  return ids;
}

/** Runs workers until the crawls have ended. Returns the crawls and their descendants. */
async function followWork(
  work: WorkContext,
  ids: readonly number[],
  { concurrency, waitMs = RUN_WAIT_MS, signal }: RunSettings,
  listener: RunListener,
): Promise<CrawlRow[]> {
  const { store, governor, breaker, disk } = work;
  await using workers = work.startWorkers(concurrency);
  using view = await listener.startProgress?.(store, store.read.crawlTree(ids));
  let quota: QuotaStatus | undefined;
  let outage: OutageState | undefined;
  const isOver = createOutageTimeout(waitMs);
  const refresh = async () => {
    outage = await breaker.readState();
    quota = await governor.readStatus();
  };
  const refreshing = setInterval(() => void refresh().catch(() => undefined), SECOND);
  const ended = new AbortController();
  let hasWaited = false;
  try {
    const followed = followCrawls({
      store,
      ids,
      clock: systemClock,
      signal: AbortSignal.any([signal, ended.signal]),
      onRead(rows) {
        const now = systemClock.now();
        view?.show(rows, { now, quota, outage, shortage: disk.shortage });
        const open = rows.filter(({ finishedAt }) => finishedAt === null);
        const done = rows.reduce((sum, { pages }) => sum + pages, rows.length - open.length);
        hasWaited ||= isOver(open, { outage, shortage: disk.shortage }, { progress: done, now });
        if (hasWaited) ended.abort();
      },
    });
    await Promise.race([followed, workers.stopped]);
  } finally {
    ended.abort();
    clearInterval(refreshing);
    await workers[Symbol.asyncDispose]();
  }
  if (hasWaited) listener.onWaitTimeout?.(waitMs, disk.shortage !== undefined);
  return store.read.crawlTree(ids);
}

const IDLE_CHECK_MS = 250;
/** How often a worker that exits when idle checks whether all unfinished crawls are blocked. */
const OUTAGE_CHECK_MS = 5 * SECOND;

/**
 * Runs workers until the signal is aborted, or with `exitWhenIdle` until no crawl is unfinished. Returns false if the wait
 * for the service or the disk has timed out. @throws UnauthorizedError, StoreError.
 */
export async function runWorkersUntil(
  signal: AbortSignal,
  context: WorkContext,
  options: { readonly concurrency: number; readonly exitWhenIdle: boolean; readonly waitMs: number },
): Promise<boolean> {
  const { store, startWorkers } = context;
  const { concurrency, exitWhenIdle, waitMs } = options;
  await using workers = startWorkers(concurrency);
  const hasWaited = exitWhenIdle ? createOutageCheck(context, waitMs) : async () => false;
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  const idle = async (): Promise<boolean> => {
    for (;;) {
      await systemClock.sleep(IDLE_CHECK_MS, either).catch(() => undefined);
      if (either.aborted) return true;
      if (exitWhenIdle && !store.read.hasPending()) {
        await waitUnlessAborted(workers.applied, either).catch(() => undefined);
        return true;
      }
      if (await hasWaited()) return false;
    }
  };
  try {
    return await Promise.race([idle(), workers.stopped]);
  } finally {
    // Ends the wait, which would keep the process alive.
    ended.abort();
  }
}

/** Returns a function that checks, at most every 5 s, whether all unfinished crawls have been blocked for `waitMs`. */
function createOutageCheck({ store: { read }, breaker, disk }: WorkContext, waitMs: number): () => Promise<boolean> {
  const isOver = createOutageTimeout(waitMs);
  let nextCheck = 0;
  return async () => {
    const now = systemClock.now();
    if (now < nextCheck) return false;
    nextCheck = now + Math.min(OUTAGE_CHECK_MS, waitMs / 2);
    const conditions = { outage: await breaker.readState(), shortage: disk.shortage };
    return isOver(read.unfinishedStates(), conditions, { progress: read.lastStepId(), now });
  };
}

/**
 * Creates a timeout for outages and full disks. The returned function takes the unfinished crawls, a measure of progress
 * and the time in ms. It returns true once all crawls have been blocked without progress for `waitMs`. A crawl that
 * can run, or waits for another reason, restarts the timeout.
 */
function createOutageTimeout(waitMs: number) {
  let since: number | undefined;
  let reached: number | undefined;

  return (
    unfinished: readonly WaitingCrawl[],
    conditions: HoldConditions,
    { progress, now }: { progress: number; now: number },
  ): boolean => {
    const held = unfinished.filter((crawl) => isBlocked(crawl, conditions)).length;
    // A crawl that probes the service runs for a moment; that is no progress.
    const running = unfinished.filter(({ state }) => state === 'running').length;
    if (progress !== reached || held + running < unfinished.length) since = undefined;
    reached = progress;
    if (held > 0 && held + running === unfinished.length) since ??= now;
    return since !== undefined && now - since >= waitMs;
  };
}
