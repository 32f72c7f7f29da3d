import { splitIntoBatches, readInBatches } from '../batches.ts';
import type { Clock } from '../clock.ts';
import type { CrawlSpec } from '../kinds/crawl-spec.ts';
import type { OpenedCrawl, SoftLock } from '../store/schema/messages.ts';
import type { PendingCrawl, StoreQueries } from '../store/schema/query-results.ts';
import type { CrawlQueues } from './queues.ts';
import { SOFT_LOCK_MS, isSoftLocked } from './soft-locks.ts';

export type Producer = ReturnType<typeof createProducer>;

interface ProducerStore {
  readonly queries: Pick<
    StoreQueries,
    'notLockedBy' | 'pendingAfter' | 'pendingAmong' | 'pendingDescendants' | 'withDescendants'
  >;
  readonly write: {
    openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): Promise<OpenedCrawl[]>;
  };
}

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
     * Queues every unfinished crawl without a job: after a start, a crash, or the loss of Redis. A run queues its own
     * crawls; workers queue all crawls without a soft lock. Returns their number. An aborted signal ends it before the next
     * batch.
     */
    async reconcile(signal?: AbortSignal): Promise<number> {
      let count = 0;
      if (run !== undefined) await takeOver(enqueuedIds);
      for await (const page of run === undefined ? readInBatches(queries.pendingAfter) : pending(enqueuedIds)) {
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
