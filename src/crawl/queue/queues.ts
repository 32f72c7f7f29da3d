import { type ConnectionOptions, Queue } from 'bullmq';
import { type ByPriority, mapPriorities, PRIORITIES, type Priority } from '#service/quota/priorities.ts';
import type { PendingCrawl } from '#store/schema/query-results.ts';
import { closeQueue } from './bounded-close.ts';
import type { ExistingRedis } from './redis/connect-existing.ts';
import type { QueueRedis } from './redis/start-redis.ts';

/** The data of a job. The row in `crawls` has the rest (invariant 2). */
export interface CrawlJob {
  readonly crawlId: number;
}

export type CrawlQueues = ReturnType<typeof openQueues>;

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

/** Finished jobs are removed: BullMQ does not add a job whose id exists. */
export const REMOVE_WHEN_FINISHED = { removeOnComplete: true, removeOnFail: true } as const;

/**
 * Opens the crawl queues of a process, one per priority, since BullMQ's rate limits are per queue. All workers of a store
 * share those of `trawl work`; a `trawl crawl` run has its own and works on its own crawls only.
 */
export function openQueues(options: {
  redis: Pick<QueueRedis, 'connection'> | ExistingRedis;
  /** Leaves no trace in Redis, not even the metadata of BullMQ. */
  isObserver?: boolean | undefined;
  storeId: string;
  run?: string | undefined;
}) {
  const { redis, run, isObserver = false } = options;
  // The braces keep all keys of a store in one slot of a Redis cluster. The id separates stores on one Redis.
  const prefix = `{trawl-${options.storeId.slice(0, 8)}}`;
  const queueNameOf = (as: Priority): string => (run === undefined ? as : `run-${run}-${as}`);
  const names: readonly string[] = PRIORITIES.map(queueNameOf);
  // The same options, which BullMQ types more strictly than ioredis.
  const connection = redis.connection as ConnectionOptions;
  const queues = names.map((name) => {
    const queue: Queue<CrawlJob> = new Queue(name, { connection, prefix, skipMetasUpdate: isObserver });
    // start-redis.ts reports lost connections, once.
    queue.on('error', () => undefined);
    return queue;
  });

  /** The number of jobs by priority and state: waiting, active, delayed. */
  async function countJobsByPriority(): Promise<ByPriority<Readonly<Record<string, number>>>> {
    const counts = await Promise.all(queues.map((queue) => queue.getJobCounts('waiting', 'active', 'delayed')));
    return mapPriorities((one) => counts[PRIORITIES.indexOf(one)]!);
  }

  return {
    names,
    prefix,
    connection,
    async addJobs(crawls: readonly PendingCrawl[], now: number): Promise<void> {
      for (const queue of queues) {
        const jobs = crawls
          .filter((crawl) => queueNameOf(crawl.priority) === queue.name)
          .map(({ id, kind, reason, resumeAt }) => ({
            name: kind,
            data: { crawlId: id },
            opts: {
              ...REMOVE_WHEN_FINISHED,
              jobId: jobIdOf(id),
              delay: reason === 'retry' || reason === 'budget' ? Math.max(0, (resumeAt ?? 0) - now) : 0,
            },
          }));
        if (jobs.length > 0) await queue.addBulk(jobs);
      }
    },
    async findWithoutJob(crawls: readonly Pick<PendingCrawl, 'id' | 'priority'>[]): Promise<number[]> {
      const found: number[] = [];
      for (const queue of queues) {
        const ids = crawls.filter((crawl) => queueNameOf(crawl.priority) === queue.name).map(({ id }) => id);
        if (ids.length === 0) continue;
        const client = await queue.getBackend().client;
        client.defineCommand(WITHOUT_KEY.name, {
          numberOfKeys: 1,
          lua: WITHOUT_KEY.lua,
        });
        const missing = (await client.runCommand(WITHOUT_KEY.name, [queue.toKey(PREFIX), ...ids])) as string[];
        found.push(...missing.map(Number));
      }
      return found;
    },
    async rateLimit(as: Priority, ms: number): Promise<void> {
      await queues[PRIORITIES.indexOf(as)]!.rateLimit(Math.max(1, Math.ceil(ms)));
    },
    async promoteDelayed(): Promise<void> {
      for (const queue of queues) await queue.promoteJobs();
    },
    countJobsByPriority,
    async countJobs(): Promise<Record<string, number>> {
      const counts: Record<string, number> = {};
      for (const byState of Object.values(await countJobsByPriority())) {
        for (const [state, count] of Object.entries(byState)) counts[state] = (counts[state] ?? 0) + count;
      }
      return counts;
    },
    async countWorkers(): Promise<number | undefined> {
      const found = await queues[0]!.getWorkers().catch(() => undefined);
      return found?.some(({ rawname }) => rawname === undefined) ? undefined : found?.length;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(
        queues.map(async (queue) => {
          const removeAndClose = async (): Promise<void> => {
            if (run !== undefined) await queue.obliterate({ force: true }).catch(() => undefined);
            await queue.close();
          };
          await closeQueue(queue, removeAndClose());
        }),
      );
    },
  };
}
