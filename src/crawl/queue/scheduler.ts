import { type JobSchedulerJson, Queue, Worker } from 'bullmq';
import { type Clock, MINUTE } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { isDue } from '#crawl/jobs/adaptive-interval.ts';
import { createSlots, isAdaptive } from '#crawl/jobs/job-schedule.ts';
import {
  type Job,
  isEnabled,
  parseJob,
  createJobCrawls,
  createJobSlots,
  type JobTarget,
  type TargetSource,
  type JobCrawls,
  type JobRecheck,
  hasRelativeSince,
} from '#crawl/jobs/job.ts';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { OpenedCrawl } from '#store/schema/commit-messages.ts';
import type { ScheduledJob, ScheduledRunStart } from '#store/schema/job-messages.ts';
import type { StoreQueries } from '#store/schema/query-results.ts';
import { closeQueue, closeWorker } from './bounded-close.ts';
import type { Producer } from './producer.ts';
import { type CrawlQueues, REMOVE_WHEN_FINISHED } from './queues.ts';

export type Scheduler = ReturnType<typeof createScheduler>;

export interface SchedulerOptions {
  readonly store: {
    readonly queries: Pick<StoreQueries, 'schedule' | 'pendingIdentities' | 'jobAccounts' | 'endedCrawls'>;
    readonly write: { openScheduledRun(run: ScheduledRunStart): Promise<OpenedCrawl[] | undefined> };
  };
  readonly queues: Pick<CrawlQueues, 'prefix' | 'connection'>;
  readonly producer: Producer;
  readonly readTargets: (source: TargetSource) => readonly JobTarget[];
  /** Selects the checks of a run. */
  readonly selectChecks: (recheck: JobRecheck, run: { at: number; maxRequests: number }) => readonly CrawlSpec[];
  readonly clock: Clock;
  readonly log: Log;
}

const QUEUE = 'schedule';

/**
 * Scheduled jobs. The store has the schedule and the latest run of each job; Redis only triggers runs (invariant 2). A
 * run is identified by its slot, so that several triggers cause one run. It creates or joins crawls and does not wait for
 * them.
 */
export function createScheduler(options: SchedulerOptions) {
  const { store, queues, producer, readTargets, selectChecks, clock, log } = options;
  const { connection, prefix } = queues;
  const settings = { connection, prefix, settings: { repeatStrategy: nextByPattern } };
  let opened: Queue | undefined;

  /** Opens the queue at the first call, since most processes schedule nothing. */
  function queue(): Queue {
    if (opened) return opened;
    opened = new Queue(QUEUE, settings);
    // start-redis.ts reports lost connections, once.
    opened.on('error', () => undefined);
    return opened;
  }

  /** Writes the schedule of the store to Redis, and starts due runs. Several missed runs of a job are replaced by one. */
  async function restore(): Promise<void> {
    // Redis is read before the store, since other processes write to the store first.
    const inRedis = new Map((await queue().getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
    const scheduled = (await store.queries.schedule()).filter((entry) => isEnabled(parseJob(entry)));
    for (const entry of scheduled) {
      const wanted = repeatOf(entry);
      const found = inRedis.get(entry.name);
      inRedis.delete(entry.name);
      if (found && isEqual(found, wanted)) continue;
      // An upsert alone would continue from the old times.
      if (found) await queue().removeJobScheduler(entry.name);
      await queue().upsertJobScheduler(entry.name, wanted, TEMPLATE);
    }
    for (const name of inRedis.keys()) await queue().removeJobScheduler(name);
    for (const { name } of scheduled) await run(name);
  }

  /** Starts the latest due run unless it exists. */
  async function run(name: string, due = 0): Promise<void> {
    const entry = (await store.queries.schedule()).find((each) => each.name === name);
    if (!entry || !isEnabled(parseJob(entry))) return;
    const at = clock.now();
    // The clock of the machine that triggered the run may be ahead.
    const slot = createJobSlots(entry).findLatest(Math.max(at, due));
    if (slot === undefined || slot <= (entry.slot ?? -1)) return;
    const job = parseJob(entry);
    const { specs, problems } = await createCrawls(job, at);
    for (const problem of problems) log.warn({ job: name, problem }, 'not crawled');
    const problem = problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : (problems[0] ?? null);
    const opening = { name, slot, at, specs, problem, budget: job.budget };
    const crawls = await store.write.openScheduledRun(opening);
    if (!crawls) return;
    const joined = crawls.filter((crawl) => crawl.isJoined).length;
    log.info({ job: name, added: crawls.length - joined, joined }, 'scheduled run');
    await producer.dispatch(crawls.map(({ id }) => id));
  }

  async function createCrawls(job: Job, at: number): Promise<JobCrawls> {
    try {
      if ('recheck' in job.targets) {
        const specs = selectChecks(job.targets.recheck, { at, maxRequests: job.budget?.perRun ?? Infinity });
        return { specs: specs.map((spec) => ({ ...spec, priority: job.priority })), problems: [] };
      }
      const targets = readTargets(job.targets);
      const accounts = await store.queries.jobAccounts(job.name);
      const unfinished = hasRelativeSince(job) ? await store.queries.pendingIdentities(job.kind) : [];
      const { specs, problems } = createJobCrawls(job, targets, at, { unfinished, accounts });
      return {
        specs: await findDue(job, specs, at),
        problems: targets.length === 0 ? ['there are no targets'] : problems,
      };
    } catch (error) {
      return { specs: [], problems: [describeError(error)] };
    }
  }

  /** The crawls of a run whose targets are due: all of them, unless each target has an interval of its own. */
  async function findDue(
    { name, schedule }: Job,
    specs: readonly CrawlSpec[],
    at: number,
  ): Promise<readonly CrawlSpec[]> {
    if (!isAdaptive(schedule)) return specs;
    const due: CrawlSpec[] = [];
    for (const spec of specs) if (isDue(schedule, await store.queries.endedCrawls(name, spec), at)) due.push(spec);
    return due;
  }

  /** Starts runs when they are due, until it is disposed of. */
  function start(): AsyncDisposable {
    let isStopping = false;
    const worker = new Worker(QUEUE, ({ name, id }) => run(name, dueOf(id)), { ...settings, maxStalledCount: 3 });
    const tryRestore = async (): Promise<void> => {
      if (isStopping) return;
      try {
        await restore();
      } catch (error) {
        // After a stop, the next scheduler restores the rest.
        if (!isStopping) log.warn({ error: describeError(error) }, 'could not restore the schedule');
      }
    };
    // Also after an outage, when Redis may have lost the schedule.
    worker.on('ready', () => void tryRestore());
    worker.on('error', (error) => log.debug({ error: error.message }, 'schedule'));
    worker.on('failed', (job, error) => log.warn({ job: job?.name, error: error.message }, 'a scheduled run failed'));
    const timer = setInterval(() => void tryRestore(), MINUTE);
    return {
      async [Symbol.asyncDispose]() {
        isStopping = true;
        clearInterval(timer);
        await closeWorker(worker);
      },
    };
  }

  return {
    restore,
    start,
    async [Symbol.asyncDispose](): Promise<void> {
      if (opened) await closeQueue(opened);
    },
  };
}

/** Jobs of runs are removed from Redis: the store records the runs. */
const TEMPLATE = { opts: REMOVE_WHEN_FINISHED };

/** A job's schedule as BullMQ options. */
function repeatOf(entry: ScheduledJob) {
  const { schedule } = parseJob(entry);
  if ('cron' in schedule) return { pattern: schedule.cron, tz: schedule.timezone };
  // Without an offset, the times would change whenever Redis is filled.
  return { every: schedule.every, offset: entry.madeAt % schedule.every || schedule.every };
}

const isEqual = (found: JobSchedulerJson, wanted: ReturnType<typeof repeatOf>): boolean =>
  Object.entries(wanted).every(([name, value]) => found[name as keyof JobSchedulerJson] === value);

/** Evaluates patterns as for the checks of job files and the display of the next runs. */
const nextByPattern = (now: number, { pattern, tz }: { pattern?: string; tz?: string }): number | undefined =>
  pattern === undefined ? undefined : createSlots({ cron: pattern, timezone: tz ?? 'UTC' }, now).findNext(now);

/** Returns the time that a job is for, with which the job ids of a scheduler end. */
const dueOf = (id: string | undefined): number => Number(id?.split(':').at(-1)) || 0;
