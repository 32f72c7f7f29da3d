import { setMaxListeners } from 'node:events';
import { DelayedError, type Job, RateLimitError, Worker } from 'bullmq';
import pLimit from 'p-limit';
import { isSettledWithin } from '#base/abortable-wait.ts';
import { type Clock, MINUTE, SECOND } from '#base/clock.ts';
import { describeError, type TrawlError, StoreError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import type { SliceResult, SliceSignals } from '#crawl/slice/slice-result.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import { closeWorker } from './bounded-close.ts';
import type { Producer } from './producer.ts';
import type { CrawlJob, CrawlQueues } from './queues.ts';

/** During a pause of a priority, the longest interval between checks whether it has ended. */
const CHECK_INTERVAL_MS = 5 * SECOND;
/** The longest wait after unexpected errors. */
const MAX_ERROR_DELAY_MS = 5 * MINUTE;
/** When stopping, pages may finish for this long; then their requests are aborted. */
const GRACE_MS = 3 * SECOND;
/** The longest time from the abort until a crawl is released in the store. */
const RELEASE_MS = SECOND / 2;

/** Workers of all queues. Disposing stops them within 5 s: pages commit, crawls are queued again. */
export interface Workers extends AsyncDisposable {
  /** Rejects if the service refuses the key, or the database is damaged or replaced. */
  readonly stopped: Promise<never>;
}

export interface WorkersOptions {
  readonly queues: CrawlQueues;
  readonly producer: Pick<Producer, 'reconcile'>;
  readonly runSlice: (crawlId: number, signals: SliceSignals) => Promise<SliceResult>;
  /** Concurrent crawls per queue. */
  readonly concurrency: number;
  /** Workers on other hosts, which may have other keys, do not pause with these. */
  readonly pausesAlone?: boolean | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Interval between reconciliations, in milliseconds. */
  readonly reconcileMs?: number;
  /** Delay after the first of consecutive unexpected errors; it doubles with each one. */
  readonly errorDelayMs?: number;
}

/** Starts the workers. The only place that maps the result of a slice to BullMQ. */
export function startWorkers(options: WorkersOptions): Workers {
  const { queues, producer, runSlice, concurrency, pausesAlone, clock, log, errorDelayMs = 10 * SECOND } = options;
  const stop = new AbortController();
  const abort = new AbortController();
  // Each running crawl listens, so that the number of listeners is no leak.
  setMaxListeners(0, stop.signal, abort.signal);
  const signals: SliceSignals = { stop: stop.signal, abort: abort.signal };
  let rejectStopped: (error: TrawlError) => void;
  const stopped = new Promise<never>((_, reject) => {
    rejectStopped = reject;
  });
  stopped.catch(() => undefined);

  /** Running slices, until their crawls are released in the store. */
  const slices = new Set<Promise<unknown>>();

  async function processJob(job: Job<CrawlJob>, token: string | undefined): Promise<void> {
    // Fetched while the worker stops.
    if (stop.signal.aborted) return await delayUntil(job, token, clock.now());
    const running = runSlice(job.data.crawlId, signals).then(
      (ended) => {
        errorCounts.delete(job.data.crawlId);
        return ended;
      },
      (error: unknown) => onUnexpectedError(job, error),
    );
    slices.add(running);
    const slice = await running.finally(() => slices.delete(running));
    switch (slice.next) {
      case 'done':
        return;
      case 'stop':
        rejectStopped(slice.error);
        return;
      case 'again':
        // moveToWait would put the job at the head of the queue, so that one long crawl would block the others.
        return await delayUntil(job, token, clock.now());
      case 'wait':
        return await delayUntil(job, token, slice.until);
      case 'pause_priority':
        return await pausePriority(slice, job, token);
    }
  }

  async function pausePriority(
    { priority, until }: Extract<SliceResult, { next: 'pause_priority' }>,
    job: Job<CrawlJob>,
    token: string | undefined,
  ): Promise<never> {
    const ms = Math.max(1, Math.min(CHECK_INTERVAL_MS, until - clock.now()));
    if (!pausesAlone) {
      await queues.rateLimit(priority, ms);
      throw new RateLimitError();
    }
    const worker = workers[PRIORITIES.indexOf(priority)]!;
    await worker.pause(true);
    setTimeout(() => void (stop.signal.aborted || worker.resume()), ms).unref();
    return await delayUntil(job, token, clock.now());
  }

  /** BullMQ compares with the time of this host: until then, one that is ahead would run the job again and again. */
  async function delayUntil(job: Job<CrawlJob>, token: string | undefined, until: number): Promise<never> {
    await job.moveToDelayed(Date.now() + Math.max(0, until - clock.now()), token);
    throw new DelayedError();
  }

  let delayedReconcile: NodeJS.Timeout | undefined;
  /** Consecutive unexpected errors by crawl. Some of them cannot be written to the crawl's row. */
  const errorCounts = new Map<number, number>();
  /** Handles an unexpected error: the crawl is unchanged and is retried with a growing delay. */
  function onUnexpectedError(job: Job<CrawlJob>, error: unknown): SliceResult {
    const { crawlId } = job.data;
    // The connection to a shared database was lost: this worker stops.
    if (stop.signal.aborted && error instanceof StoreError && error.failure === 'unavailable') return { next: 'again' };
    // A permanent error: each retry would cost requests whose pages cannot be stored.
    if (error instanceof StoreError && error.isFatal) rejectStopped(error);
    const count = (errorCounts.get(crawlId) ?? 0) + 1;
    errorCounts.set(crawlId, count);
    log.error({ crawl: crawlId, error: describeError(error) }, 'a crawl failed unexpectedly; it is retried later');
    return { next: 'wait', until: clock.now() + Math.min(MAX_ERROR_DELAY_MS, errorDelayMs * 2 ** (count - 1)) };
  }

  const workers = queues.names.map((name) => {
    const worker = new Worker<CrawlJob>(name, processJob, {
      connection: queues.connection,
      prefix: queues.prefix,
      concurrency,
      // Jobs of a killed worker are queued again after about 20 s instead of a minute.
      lockDuration: 15 * SECOND,
      stalledInterval: 5 * SECOND,
      // A job must not fail because its worker was killed repeatedly.
      maxStalledCount: 3,
      // Without a limiter, a worker ignores `rateLimit` of its queue.
      limiter: { max: 1_000_000, duration: SECOND },
    });
    // Also after an outage, when Redis may have lost its jobs.
    worker.on('ready', () => void reconcile());
    worker.on('error', (error) => {
      log.debug({ error: error.message }, 'queue');
      // An emptied Redis shows only as errors. They come in groups, so one reconciliation follows.
      if (!stop.signal.aborted) delayedReconcile ??= setTimeout(() => void reconcile(), SECOND);
    });
    worker.on('failed', (job, error) => {
      log.warn({ crawl: job?.data.crawlId, error: error.message }, 'a job failed; its crawl is queued again');
      void reconcile();
    });
    return worker;
  });

  const limit = pLimit(1);
  let nextScope: 'all' | 'part' = 'part';
  /** Runs once at a time; calls during a run cause one more, of all crawls if one of them asks for that. */
  async function reconcile(scope: 'all' | 'part' = 'all'): Promise<void> {
    clearTimeout(delayedReconcile);
    delayedReconcile = undefined;
    if (scope === 'all') nextScope = 'all';
    if (limit.pendingCount > 0) return;
    try {
      await limit(async () => {
        const asked = nextScope;
        nextScope = 'part';
        if (!stop.signal.aborted) await producer.reconcile(stop.signal, asked);
      });
    } catch (error) {
      log.warn({ error: describeError(error) }, 'could not queue crawls again');
    }
  }
  const timer = setInterval(() => void reconcile('part'), options.reconcileMs ?? MINUTE);

  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    clearInterval(timer);
    clearTimeout(delayedReconcile);
    stop.abort();
    const abortLater = setTimeout(() => abort.abort(), GRACE_MS);
    const closings = workers.map(closeConnected);
    await isSettledWithin(GRACE_MS + RELEASE_MS, Promise.all(slices));
    clearTimeout(abortLater);
    abort.abort();
    await Promise.all(workers.map((worker, i) => closeWorker(worker, closings[i])));
  }

  return {
    stopped,
    [Symbol.asyncDispose]: () => (closing ??= closeAll()),
  };
}

/**
 * Closes a worker once it is connected: BullMQ waits forever for the end of a connection that it closes between two
 * attempts to connect.
 */
async function closeConnected(worker: Worker): Promise<void> {
  await worker.backend.reconnectBlocking().catch(() => undefined);
  await worker.close();
}
