import { type JobSchedulerJson, Queue, Worker } from 'bullmq';
import { type Clock, MINUTE } from '../clock.ts';
import { describeError } from '../errors.ts';
import { createSlots } from '../jobs/job-schedule.ts';
import {
  type Job,
  parseJob,
  createJobCrawls,
  createJobSlots,
  type TargetSource,
  type JobCrawls,
  hasRelativeSince,
} from '../jobs/job.ts';
import type { Log } from '../log.ts';
import type { ScheduledJob, ScheduledRunStart, OpenedCrawl } from '../store/schema/messages.ts';
import type { StoreQueries } from '../store/schema/query-results.ts';
import { closeQueue, closeWorker } from './bounded-close.ts';
import type { Producer } from './producer.ts';
import type { CrawlQueues } from './queues.ts';

/**
 * Scheduled jobs. The store holds them and how far each has come; Redis only says when it is time (invariant 2). A run is
 * identified by its slot, so however often it is called for, by whichever worker, it is made once. It makes crawls, or
 * joins what still runs, and never waits.
 */
export interface Scheduler extends AsyncDisposable {
  /**
   * Makes Redis equal to the store's schedule, which it may have lost or never had, and makes the runs that are due: of
   * each job one, however many were missed.
   */
  restore(): Promise<void>;
  /** Makes the runs when it is their time, until it is disposed. */
  start(): AsyncDisposable;
}

export interface SchedulerOptions {
  readonly store: {
    readonly queries: Pick<StoreQueries, 'schedule' | 'pendingIdentities' | 'jobAccounts'>;
    readonly write: { openScheduledRun(run: ScheduledRunStart): Promise<OpenedCrawl[] | undefined> };
  };
  readonly queues: Pick<CrawlQueues, 'prefix' | 'connection'>;
  readonly producer: Producer;
  readonly readTargets: (source: TargetSource) => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

const QUEUE = 'schedule';

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { store, queues, producer, readTargets, clock, log } = options;
  const settings = {
    connection: queues.connection,
    prefix: queues.prefix,
    settings: { repeatStrategy: nextByPattern },
  };
  let opened: Queue | undefined;

  /** Only those who schedule need a connection of their own for it. */
  function queue(): Queue {
    if (opened) return opened;
    opened = new Queue(QUEUE, settings);
    opened.on('error', () => undefined); // the engine reports lost connections, once
    return opened;
  }

  async function restore(): Promise<void> {
    // Redis before the store: what another process schedules meanwhile is in the store first.
    const inRedis = new Map((await queue().getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
    const scheduled = await store.queries.schedule();
    for (const entry of scheduled) {
      const wanted = repeatOf(entry);
      const found = inRedis.get(entry.name);
      inRedis.delete(entry.name);
      if (found && isEqual(found, wanted)) continue;
      // An upsert alone would go on from the old times.
      if (found) await queue().removeJobScheduler(entry.name);
      await queue().upsertJobScheduler(entry.name, wanted, TEMPLATE);
    }
    for (const name of inRedis.keys()) await queue().removeJobScheduler(name);
    for (const { name } of scheduled) await run(name);
  }

  /** Makes the newest run that is due, if it was not made. Which one it is, the time says: several missed ones are one. */
  async function run(name: string, due = 0): Promise<void> {
    const entry = (await store.queries.schedule()).find((each) => each.name === name);
    if (!entry) return;
    const at = clock.now();
    // This machine's clock may be behind that of the one which called for the run.
    const slot = createJobSlots(entry).findLatest(Math.max(at, due));
    if (slot === undefined || slot <= (entry.slot ?? -1)) return;
    const job = parseJob(entry);
    const { specs, problems } = await crawlsOf(job, at);
    for (const problem of problems) log.warn({ job: name, problem }, 'not crawled');
    const problem = problems.length > 1 ? `${problems[0]} (and ${problems.length - 1} more)` : (problems[0] ?? null);
    const opening = { name, slot, at, specs, problem, budget: job.budget };
    const crawls = await store.write.openScheduledRun(opening);
    if (!crawls) return;
    const joined = crawls.filter((crawl) => crawl.isJoined).length;
    log.info({ job: name, added: crawls.length - joined, joined }, 'scheduled run');
    await producer.dispatch(crawls.map(({ id }) => id));
  }

  async function crawlsOf(job: Job, at: number): Promise<JobCrawls> {
    try {
      const targets = readTargets(job.targets);
      const accounts = await store.queries.jobAccounts(job.name);
      const unfinished = hasRelativeSince(job) ? await store.queries.pendingIdentities(job.kind) : [];
      const { specs, problems } = createJobCrawls(job, targets, at, { unfinished, accounts });
      return { specs, problems: targets.length === 0 ? ['there are no targets'] : problems };
    } catch (error) {
      return { specs: [], problems: [describeError(error)] };
    }
  }

  function start(): AsyncDisposable {
    let stopping = false;
    const worker = new Worker(QUEUE, ({ name, id }) => run(name, dueOf(id)), { ...settings, maxStalledCount: 3 });
    const look = async (): Promise<void> => {
      if (stopping) return;
      try {
        await restore();
      } catch (error) {
        // What a stop cut short is done by the next one to start.
        if (!stopping) log.warn({ error: describeError(error) }, 'could not restore the schedule');
      }
    };
    // Also after an outage: a Redis that came back empty has lost the schedule.
    worker.on('ready', () => void look());
    worker.on('error', (error) => log.debug({ error: error.message }, 'schedule'));
    worker.on('failed', (job, error) => log.warn({ job: job?.name, error: error.message }, 'a scheduled run failed'));
    const timer = setInterval(() => void look(), MINUTE);
    return {
      async [Symbol.asyncDispose]() {
        stopping = true;
        clearInterval(timer);
        await closeWorker(worker);
      },
    };
  }

  return {
    ...{ restore, start },
    async [Symbol.asyncDispose]() {
      if (opened) await closeQueue(opened);
    },
  };
}

/** Jobs of runs are removed from Redis: the store records the runs. */
const TEMPLATE = { opts: { removeOnComplete: true, removeOnFail: true } } as const;

/** A job's schedule as BullMQ options. */
function repeatOf(entry: ScheduledJob) {
  const { schedule } = parseJob(entry);
  if ('cron' in schedule) return { pattern: schedule.cron, tz: schedule.timezone };
  // Without an offset of its own, a grid would begin anew whenever Redis is filled.
  return { every: schedule.every, offset: entry.madeAt % schedule.every || schedule.every };
}

function isEqual(found: JobSchedulerJson, wanted: ReturnType<typeof repeatOf>): boolean {
  if (!('every' in wanted)) return found.pattern === wanted.pattern && found.tz === wanted.tz;
  return found.every === wanted.every && found.offset === wanted.offset;
}

/** Patterns mean the same to BullMQ as to whoever checked them and shows the next runs. */
const nextByPattern = (now: number, { pattern, tz }: { pattern?: string; tz?: string }): number | undefined =>
  pattern === undefined ? undefined : createSlots({ cron: pattern, timezone: tz ?? 'UTC' }, now).findNext(now);

/** Job ids of a scheduler end with the time that the job is for. */
const dueOf = (id: string | undefined): number => Number(id?.split(':').at(-1)) || 0;
