import { setMaxListeners } from 'node:events';
import { DelayedError, type Job, RateLimitError, Worker } from 'bullmq';
import { isSettledWithin } from '../abortable-wait.ts';
import { type Clock, MINUTE, SECOND } from '../clock.ts';
import type { SliceResult, SliceSignals } from '../engine/slice-result.ts';
import { describeError, type TrawlError } from '../errors.ts';
import type { Log } from '../log.ts';
import { fatalTrouble } from '../store/sqlite/database-errors.ts';
import { closeWorker } from './bounded-close.ts';
import type { Producer } from './producer.ts';
import type { CrawlJob, CrawlQueues } from './queues.ts';

/** During a pause of a class, how long at most until somebody looks whether it is over. */
const LOOK_MS = 5 * SECOND;
/** The longest wait after unexpected errors. */
const LONGEST_STUMBLE_MS = 5 * MINUTE;
/** A worker told to stop lets its steps finish for so long, and then cuts their requests short. */
const GRACE_MS = 3 * SECOND;
/** How long at most a step takes then until its crawl is handed back in the store. */
const HAND_BACK_MS = SECOND / 2;

/** Workers on every lane. Disposing stops them: steps end and commit, crawls go back in line, within 5 s. */
export interface Workers extends AsyncDisposable {
  /** Rejects when the service refused the key, or the database is damaged or replaced: there is no work without it. */
  readonly stopped: Promise<never>;
}

export interface WorkersOptions {
  readonly queues: CrawlQueues;
  readonly producer: Producer;
  readonly runSlice: (crawlId: number, signals: SliceSignals) => Promise<SliceResult>;
  /** Crawls at a time, per lane. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  /** How often unfinished crawls are put back in line. */
  readonly reconcileMs?: number;
  /** How long a crawl waits after the first of several unexpected errors in a row. */
  readonly errorDelayMs?: number;
}

/** The one place that turns what a slice says into what BullMQ understands. */
export function startWorkers(options: WorkersOptions): Workers {
  const { queues, producer, runSlice, concurrency, clock, log, errorDelayMs = 10 * SECOND } = options;
  const stop = new AbortController();
  const abort = new AbortController();
  // Every crawl under way listens: how many those are is `concurrency`, and no leak.
  setMaxListeners(0, stop.signal, abort.signal);
  const signals: SliceSignals = { stop: stop.signal, abort: abort.signal };
  let refuse: (error: TrawlError) => void;
  const stopped = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  stopped.catch(() => undefined);

  /** Crawls under way, until they are handed back in the store. */
  const slices = new Set<Promise<unknown>>();

  async function processJob(job: Job<CrawlJob>, token: string | undefined): Promise<void> {
    // Fetched while the worker was told to stop.
    if (stop.signal.aborted) return await delayUntil(job, token, clock.now());
    const running = runSlice(job.data.crawlId, signals).then(
      (ended) => {
        stumbles.delete(job.data.crawlId);
        return ended;
      },
      (error: unknown) => stumble(job, error),
    );
    slices.add(running);
    const slice = await running.finally(() => slices.delete(running));
    switch (slice.next) {
      case 'done':
        return;
      case 'stop':
        refuse(slice.error);
        return;
      case 'again':
        // Not moveToWait: that puts the job in front of the line, and one long crawl would starve the others.
        return await delayUntil(job, token, clock.now());
      case 'wait': {
        if (slice.class === undefined) return await delayUntil(job, token, slice.until);
        await queues.rateLimit(slice.class, Math.min(LOOK_MS, slice.until - clock.now()));
        throw new RateLimitError();
      }
    }
  }

  let soon: NodeJS.Timeout | undefined;
  /** Unexpected errors in a row, by crawl: not all of them can be counted in the crawl's row. */
  const stumbles = new Map<number, number>();
  /** An unexpected error, such as a full disk: the crawl is unchanged and is tried again, less and less often. */
  function stumble(job: Job<CrawlJob>, error: unknown): SliceResult {
    const { crawlId } = job.data;
    // That does not pass, and every try would cost requests whose pages cannot be stored.
    const fatal = fatalTrouble(error);
    if (fatal) refuse(fatal);
    const count = (stumbles.get(crawlId) ?? 0) + 1;
    stumbles.set(crawlId, count);
    log.error({ crawl: crawlId, error: describeError(error) }, 'a crawl cannot go on; it is tried again later');
    return { next: 'wait', until: clock.now() + Math.min(LONGEST_STUMBLE_MS, errorDelayMs * 2 ** (count - 1)) };
  }

  const workers = queues.names.map((name) => {
    const worker = new Worker<CrawlJob>(name, processJob, {
      connection: queues.connection,
      prefix: queues.prefix,
      concurrency,
      // What a killed worker held is in line again after some 20 s, not after a minute.
      lockDuration: 15 * SECOND,
      stalledInterval: 5 * SECOND,
      // A worker killed time and again over one job must not make it fail.
      maxStalledCount: 3,
      // Without a limiter, a worker does not notice that its lane rests.
      limiter: { max: 1_000_000, duration: SECOND },
    });
    // Also after an outage: a Redis that came back empty has lost what was in line.
    worker.on('ready', () => void reconcile());
    worker.on('error', (error) => {
      log.debug({ error: error.message }, 'queue');
      // So a worker learns that Redis was emptied under it, and what was in line is lost. Errors come in swarms.
      if (!stop.signal.aborted) soon ??= setTimeout(() => void reconcile(), SECOND);
    });
    worker.on('failed', (job, error) => {
      log.warn({ crawl: job?.data.crawlId, error: error.message }, 'a job failed; its crawl goes back in line');
      void reconcile();
    });
    return worker;
  });

  let reconciling = false;
  let isDueAgain = false;
  /** One at a time: whoever asks for it meanwhile has one more made. */
  async function reconcile(): Promise<void> {
    clearTimeout(soon);
    soon = undefined;
    if (reconciling) isDueAgain = true;
    if (reconciling || stop.signal.aborted) return;
    reconciling = true;
    try {
      await producer.reconcile(stop.signal);
    } catch (error) {
      log.warn({ error: describeError(error) }, 'could not put crawls back in line');
    } finally {
      reconciling = false;
    }
    if (!isDueAgain) return;
    isDueAgain = false;
    await reconcile();
  }
  const timer = setInterval(() => void reconcile(), options.reconcileMs ?? MINUTE);

  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    clearInterval(timer);
    clearTimeout(soon);
    stop.abort();
    const cut = setTimeout(() => abort.abort(), GRACE_MS);
    const closings = workers.map(closeConnected);
    await isSettledWithin(GRACE_MS + HAND_BACK_MS, Promise.all(slices));
    clearTimeout(cut);
    abort.abort();
    await Promise.all(workers.map((worker, i) => closeWorker(worker, closings[i])));
  }

  return {
    stopped,
    [Symbol.asyncDispose]: () => (closing ??= closeAll()),
  };
}

/**
 * Closes a worker once it is connected: BullMQ would wait for ever for the end of a connection that it ends between two
 * attempts to make it.
 */
async function closeConnected(worker: Worker): Promise<void> {
  await worker.backend.reconnectBlocking().catch(() => undefined);
  await worker.close();
}

async function delayUntil(job: Job<CrawlJob>, token: string | undefined, until: number): Promise<never> {
  await job.moveToDelayed(Math.max(until, 1), token);
  throw new DelayedError();
}
