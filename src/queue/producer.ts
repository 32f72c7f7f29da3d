import type { Clock } from '../clock.ts';
import type { CrawlSpec } from '../kinds/crawl-spec.ts';
import type { OpenedCrawl, SoftLock } from '../store/schema/messages.ts';
import type { PendingCrawl, StoreQueries } from '../store/schema/query-results.ts';
import { splitIntoBatches, readInBatches } from './batches.ts';
import type { CrawlQueues } from './queues.ts';
import { SOFT_LOCK_MS, isSoftLocked } from './soft-locks.ts';

/** Writes the store before the queue, in batches (invariant 2): a kill in between loses nothing. */
export interface Producer {
  /**
   * Creates crawls or joins unfinished ones, and queues them. Snowballs with a limit of accounts name the run that they
   * share it in: each batch is opened on its own.
   */
  enqueue(specs: Iterable<CrawlSpec>): Promise<OpenedCrawl[]>;
  /** Queues crawls that are in the database already, with their descendants. */
  dispatch(ids: readonly number[]): Promise<void>;
  /**
   * Queues every unfinished crawl that should be and is not: after a start, a crash, or the loss of Redis. A run
   * looks after the crawls it claimed, everybody else after those that no living run keeps to itself. Returns how many;
   * an aborted signal ends it before the next batch.
   */
  reconcile(signal?: AbortSignal): Promise<number>;
}

/** What a producer needs of the store. */
interface ProducerStore {
  readonly queries: Pick<
    StoreQueries,
    'notLockedBy' | 'pendingAfter' | 'pendingAmong' | 'pendingDescendants' | 'withDescendants'
  >;
  readonly write: {
    openCrawls(specs: readonly CrawlSpec[], at: number, softLock?: SoftLock): Promise<OpenedCrawl[]>;
  };
}

export function createProducer(options: {
  store: ProducerStore;
  queues: CrawlQueues;
  clock: Clock;
  run?: string | undefined;
}): Producer {
  const { store, queues, clock, run } = options;
  const { queries } = store;
  const isOurs = (crawl: PendingCrawl): boolean =>
    run === undefined ? !isSoftLocked(crawl, clock.now()) : crawl.lockedBy === run;
  /** The crawls of this run. Of them and their descendants, it takes over those with a soft lock of a dead run. */
  const named: number[] = [];

  async function open(specs: readonly CrawlSpec[]): Promise<OpenedCrawl[]> {
    const now = clock.now();
    return await store.write.openCrawls(
      specs,
      now,
      run === undefined ? undefined : { owner: run, until: now + SOFT_LOCK_MS },
    );
  }

  async function takeOver(ids: readonly number[]): Promise<void> {
    for (const batch of splitIntoBatches(ids)) {
      const lost = (await queries.notLockedBy(batch, run!)).filter((crawl) => !isSoftLocked(crawl, clock.now()));
      for (const some of splitIntoBatches(lost)) await open(some);
    }
  }

  /** The unfinished ones of the crawls and their descendants. */
  async function* pending(ids: readonly number[]): AsyncGenerator<readonly PendingCrawl[], void> {
    for (const batch of splitIntoBatches(ids)) {
      yield await queries.pendingAmong(batch);
      for (const rootId of await queries.withDescendants(batch)) {
        yield* readInBatches((after, most) => queries.pendingDescendants(rootId, after, most));
      }
    }
  }

  async function dispatch(ids: readonly number[]): Promise<void> {
    for await (const page of pending(ids)) await queues.addJobs(page.filter(isOurs), clock.now());
  }

  return {
    dispatch,
    async enqueue(specs) {
      const all: OpenedCrawl[] = [];
      for (const batch of splitIntoBatches(specs)) {
        const opened = await open(batch);
        const ids = opened.map(({ id }) => id);
        if (run !== undefined) {
          named.push(...ids);
          await takeOver(ids);
        }
        await dispatch(ids);
        all.push(...opened);
      }
      return all;
    },
    async reconcile(signal) {
      let count = 0;
      if (run !== undefined) await takeOver(named);
      for await (const page of run === undefined ? readInBatches(queries.pendingAfter) : pending(named)) {
        if (signal?.aborted) break;
        const missing = await queues.findWithoutJob(page.filter(isOurs));
        if (missing.length === 0 || signal?.aborted) continue;
        // A crawl that ended since the first read has no job and needs none.
        const crawls = (await queries.pendingAmong(missing)).filter(isOurs);
        await queues.addJobs(crawls, clock.now());
        count += crawls.length;
      }
      return count;
    },
  };
}
