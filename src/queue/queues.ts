import { type ConnectionOptions, Queue } from 'bullmq';
import type { PendingCrawl } from '../store/crawls/pending-crawls.ts';
import { CRAWL_CLASSES } from '../store/schema/crawl-states.ts';
import type { CrawlClass } from '../store/schema/messages.ts';
import { closeQueue } from './bounded-close.ts';
import type { ExistingRedis } from './redis/connect-existing.ts';
import type { QueueRedis } from './redis/start-redis.ts';

/** The whole of a job: the row in `crawls` says the rest (law 2). */
export interface CrawlJob {
  readonly crawlId: number;
}

/**
 * The queues that a process dispatches to, one per class, since BullMQ's limits and pauses are per queue. Those of
 * `trawl work` are shared by all workers of the store; a `trawl crawl` run has its own, so that it works on what it
 * named and on nothing else.
 */
export interface CrawlQueues extends AsyncDisposable {
  /** What BullMQ needs to find the lanes. */
  readonly names: readonly string[];
  readonly prefix: string;
  readonly connection: ConnectionOptions;
  /** Adds a batch of crawls, each at most once: a crawl that has a job keeps its place. */
  addJobs(crawls: readonly PendingCrawl[], now: number): Promise<void>;
  /** Of a batch of crawls, the ids of those that have no job, whether waiting, delayed or active. */
  findWithoutJob(crawls: readonly Pick<PendingCrawl, 'id' | 'class'>[]): Promise<number[]>;
  /** The lane of a class starts no job for so long, in any process. */
  rateLimit(as: CrawlClass, ms: number): Promise<void>;
  /** What is delayed is in line at once: crawls that are not due look at the store, and wait again. */
  promoteDelayed(): Promise<void>;
  /** How many crawls wait, run or are delayed. */
  countJobs(): Promise<Record<string, number>>;
  /** How many `trawl work` are there; undefined where Redis does not tell. */
  countWorkers(): Promise<number | undefined>;
}

const PREFIX = 'crawl-';
const jobIdOf = (crawlId: number): string => `${PREFIX}${crawlId}`;

/** Returns those of the given job ids that have no key. The first argument is the prefix of the keys. */
const WITHOUT_KEY = {
  name: 'trawlWithoutKey',
  lua: `local found = {}
for _, id in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[1] .. id) == 0 then found[#found + 1] = id end
end
return found`,
};

/** A job ends when its crawl does; then nothing of it stays in Redis, or its id could not be used again. */
const JOB_OPTIONS = { removeOnComplete: true, removeOnFail: true } as const;

export function openQueues(options: {
  redis: Pick<QueueRedis, 'connection'> | ExistingRedis;
  /** Leaves no trace in Redis, not even the metadata of BullMQ. */
  isObserver?: boolean | undefined;
  storeId: string;
  run?: string | undefined;
}): CrawlQueues {
  const { redis, run, isObserver = false } = options;
  // The braces keep a store's keys in one slot of a Redis cluster; the id keeps stores apart on one Redis.
  const prefix = `{trawl-${options.storeId.slice(0, 8)}}`;
  const laneOf = (as: CrawlClass): string => (run === undefined ? as : `run-${run}-${as}`);
  const names: readonly string[] = CRAWL_CLASSES.map(laneOf);
  // ioredis says `string | undefined` where BullMQ says `string`: the same options, typed more strictly.
  const connection = redis.connection as ConnectionOptions;
  const queues = names.map((name) => {
    const queue: Queue<CrawlJob> = new Queue(name, { connection, prefix, skipMetasUpdate: isObserver });
    queue.on('error', () => undefined); // the engine reports lost connections, once
    return queue;
  });

  return {
    names,
    prefix,
    connection,
    async addJobs(crawls, now) {
      // Whether there is quota again, the governor says: nobody waits here for a time that was a guess.
      for (const queue of queues) {
        const jobs = crawls
          .filter((crawl) => laneOf(crawl.class) === queue.name)
          .map(({ id, kind, reason, resumeAt }) => ({
            name: kind,
            data: { crawlId: id },
            opts: {
              ...JOB_OPTIONS,
              jobId: jobIdOf(id),
              delay: reason === 'retry' || reason === 'budget' ? Math.max(0, (resumeAt ?? 0) - now) : 0,
            },
          }));
        if (jobs.length > 0) await queue.addBulk(jobs);
      }
    },
    async findWithoutJob(crawls) {
      const found: number[] = [];
      for (const queue of queues) {
        const ids = crawls.filter((crawl) => laneOf(crawl.class) === queue.name).map(({ id }) => id);
        if (ids.length === 0) continue;
        const client = await queue.getBackend().client;
        client.defineCommand(WITHOUT_KEY.name, { numberOfKeys: 1, lua: WITHOUT_KEY.lua });
        const missing = (await client.runCommand(WITHOUT_KEY.name, [queue.toKey(PREFIX), ...ids])) as string[];
        found.push(...missing.map(Number));
      }
      return found;
    },
    async rateLimit(as, ms) {
      await queues[CRAWL_CLASSES.indexOf(as)]!.rateLimit(Math.max(1, Math.ceil(ms)));
    },
    async promoteDelayed() {
      for (const queue of queues) await queue.promoteJobs();
    },
    async countJobs() {
      const counts: Record<string, number> = {};
      for (const queue of queues) {
        for (const [state, count] of Object.entries(await queue.getJobCounts('waiting', 'active', 'delayed'))) {
          counts[state] = (counts[state] ?? 0) + count;
        }
      }
      return counts;
    },
    async countWorkers() {
      // Each of them works on every lane.
      const found = await queues[0]!.getWorkers().catch(() => undefined);
      return found?.some(({ rawname }) => rawname === undefined) ? undefined : found?.length;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        queues.map(async (queue) => {
          const removed = run === undefined ? undefined : queue.obliterate({ force: true }).catch(() => undefined);
          await closeQueue(
            queue,
            Promise.resolve(removed).then(() => queue.close()),
          );
        }),
      );
    },
  };
}
