import { BATCH_SIZE, splitIntoBatches, readInBatches } from '#base/batches.ts';
import type { Clock } from '#base/clock.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { OpenedCrawl, SoftLock } from '#store/schema/commit-messages.ts';
import type { PendingCrawl, StoreQueries } from '#store/schema/query-results.ts';
import type { CrawlQueues } from './queues.ts';
import { SOFT_LOCK_MS, isSoftLocked } from './soft-locks.ts';

export type Producer = ReturnType<typeof createProducer>;

interface ProducerStore {
  readonly queries: Pick<
    StoreQueries,
    | ('notLockedBy' | 'pendingAfter' | 'pendingAmong' | 'pendingDescendants' | 'withDescendants')
    | ('unlockedPendingCount' | 'pendingCountOfRun')
  >;
  readonly write: {
    openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): Promise<OpenedCrawl[]>;
  };
}

/** The batches of crawls that a periodic check reads. */
const BATCHES_OF_PART = 10;

/** Queues crawls. Each batch is written to the store before the queue, so that a kill loses nothing (invariant 2). */
export function createProducer(options: {
  store: ProducerStore;
  queues: CrawlQueues;
  clock: Clock;
  run?: string | undefined;
}) {
  const { store, queues, clock, run } = options;
  const { queries } = store;
  const isOwn = (crawl: PendingCrawl): boolean =>
    run === undefined ? !isSoftLocked(crawl, clock.now()) : crawl.lockedBy === run;
  /** The crawls of this run. It takes over those with the soft lock of a dead run, and such descendants. */
  const enqueuedIds: number[] = [];

  async function open(specs: readonly CrawlSpec[]): Promise<OpenedCrawl[]> {
    const now = clock.now();
    const softLock = run === undefined ? undefined : { owner: run, until: now + SOFT_LOCK_MS };
    return await store.write.openCrawls(specs, now, softLock);
  }

  async function takeOver(ids: readonly number[]): Promise<void> {
    for (const batch of splitIntoBatches(ids)) {
      const unlocked = (await queries.notLockedBy(batch, run!)).filter((crawl) => !isSoftLocked(crawl, clock.now()));
      for (const crawls of splitIntoBatches(unlocked)) await open(crawls);
    }
  }

  /** Reads the unfinished crawls among the given ones and their descendants. */
  async function* pending(ids: readonly number[]): AsyncGenerator<readonly PendingCrawl[], void> {
    for (const batch of splitIntoBatches(ids)) {
      yield await queries.pendingAmong(batch);
      for (const rootId of await queries.withDescendants(batch)) {
        yield* readInBatches((after, most) => queries.pendingDescendants(rootId, after, most));
      }
    }
  }

  /** Where the next part begins: after a crawl, or at an index of the crawls of this run. */
  let nextPart = 0;

  /** Reads the next part of all crawls that this process queues, and their descendants. The first part follows the last. */
  async function* readPart(): AsyncGenerator<readonly PendingCrawl[], void> {
    const start = nextPart;
    if (run !== undefined) {
      const ids = enqueuedIds.slice(start, start + BATCHES_OF_PART * BATCH_SIZE);
      nextPart = start + ids.length < enqueuedIds.length ? start + ids.length : 0;
      await takeOver(ids);
      return yield* pending(ids);
    }
    nextPart = 0;
    let batches = 0;
    for await (const page of readInBatches((after, most) => queries.pendingAfter(Math.max(after, start), most))) {
      yield page;
      if (++batches < BATCHES_OF_PART) continue;
      nextPart = page.at(-1)!.id;
      return;
    }
  }

  async function* readAll(): AsyncGenerator<readonly PendingCrawl[], void> {
    if (run === undefined) return yield* readInBatches(queries.pendingAfter);
    await takeOver(enqueuedIds);
    yield* pending(enqueuedIds);
  }

  /** Whether the queues have fewer jobs than there are crawls to run. */
  async function hasTooFewJobs(): Promise<boolean> {
    const crawls = run === undefined ? queries.unlockedPendingCount(clock.now()) : queries.pendingCountOfRun(run);
    const jobs = Object.values(await queues.countJobs()).reduce((sum, count) => sum + count, 0);
    return jobs < (await crawls);
  }

  /** Queues crawls of the store, with their descendants. */
  async function dispatch(ids: readonly number[]): Promise<void> {
    for await (const page of pending(ids)) await queues.addJobs(page.filter(isOwn), clock.now());
  }

  return {
    dispatch,
    /**
     * Creates crawls or joins unfinished ones, and queues them. Since batches are opened separately, snowballs that share a
     * limit of accounts have to name its run.
     */
    async enqueue(specs: Iterable<CrawlSpec>): Promise<OpenedCrawl[]> {
      const all: OpenedCrawl[] = [];
      for (const batch of splitIntoBatches(specs)) {
        const opened = await open(batch);
        const ids = opened.map(({ id }) => id);
        if (run !== undefined) {
          enqueuedIds.push(...ids);
          await takeOver(ids);
        }
        await dispatch(ids);
        all.push(...opened);
      }
      return all;
    },
    /**
     * Queues unfinished crawls without a job. `all`, after a start, an error or the loss of Redis: reads every crawl. `part`,
     * from time to time: reads every crawl if there are fewer jobs than crawls, else the next 5,000 (decision 63). A run queues
     * its own crawls; workers queue all crawls without a soft lock. Returns the number of queued crawls. An aborted signal
     * ends it before the next batch.
     */
    async reconcile(signal?: AbortSignal, scope: 'all' | 'part' = 'all'): Promise<number> {
      let count = 0;
      for await (const page of scope === 'all' || (await hasTooFewJobs()) ? readAll() : readPart()) {
        if (signal?.aborted) break;
        const missing = await queues.findWithoutJob(page.filter(isOwn));
        if (missing.length === 0 || signal?.aborted) continue;
        // A crawl that ended since the first read has no job and needs none.
        const crawls = (await queries.pendingAmong(missing)).filter(isOwn);
        await queues.addJobs(crawls, clock.now());
        count += crawls.length;
      }
      return count;
    },
  };
}
