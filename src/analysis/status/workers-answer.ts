import { UNFINISHED_STATES } from '#analysis/crawls/crawl-list.ts';
import type { Overview } from '#analysis/crawls/crawl-overview.ts';
import { pluralize, toSingleLine } from '#base/text.ts';
import { listNextRuns } from '#crawl/jobs/next-runs.ts';
import type { JoinedWorker, QueueReading } from '#crawl/queue/queue-snapshot.ts';
import { isSoftLocked } from '#crawl/queue/soft-locks.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { WorkersAnswer } from './status-model.ts';

/**
 * Returns what is said of the workers of a store.
 *
 * @param dueJobs the number of scheduled jobs that are due.
 */
export function answerWorkers(
  { softLocks, counts, at }: Pick<Overview, 'softLocks' | 'counts' | 'at'>,
  queue: QueueReading,
  dueJobs = 0,
): WorkersAnswer {
  const { joined = [] } = queue && 'workers' in queue ? queue : {};
  const runs = softLocks.filter((lock) => isSoftLocked(lock, at)).length;
  const answer = (state: WorkersAnswer['state'], sentence: string, workers: number | null, command?: string) => ({
    state,
    label: 'Workers',
    sentence: `${sentence}${runs > 0 ? `, ${pluralize(runs, '`trawl crawl` run', '`trawl crawl` runs')}` : ''}`,
    command: command ?? null,
    workers,
    joined: joined.map(({ host, keyLabel, hold }) => ({ host, keyLabel, hold: hold ?? null })),
    runs,
  });
  if (queue && 'problem' in queue)
    return answer('unknown', `unknown: ${queue.problem.split('\n').map(toSingleLine).join('. ')}`, null);
  const workers = queue === undefined ? 0 : queue.workers;
  if (workers === undefined) return answer('unknown', 'the number of workers is unknown', null);
  if (workers > 0)
    return answer('running', `${pluralize(workers, 'worker')} running${describeJoined(joined)}`, workers);
  const unfinished = counts.reduce((sum, { state, n }) => sum + (UNFINISHED_STATES.includes(state) ? n : 0), 0);
  const work = [
    ...(unfinished > 0 && runs === 0 ? [describeWork(unfinished, 'unfinished crawl', ['waits', 'wait'])] : []),
    ...(dueJobs > 0 ? [describeWork(dueJobs, 'scheduled job', ['is due', 'are due'])] : []),
  ];
  return work.length === 0
    ? answer('none', 'no worker is running', 0)
    : answer('none', `no worker is running: ${work.join(', ')}`, 0, 'work');
}

const describeWork = (n: number, noun: string, [one, many]: readonly [string, string]): string =>
  `${pluralize(n, noun)} ${n === 1 ? one : many}`;

/** `, 2 of them on other hosts: crawler-2 (key-5f0c1a2b), crawler-3 (key-7e1d: low quota)`. */
const describeJoined = (joined: readonly JoinedWorker[]): string =>
  joined.length === 0
    ? ''
    : `, ${joined.length} of them on other hosts: ${joined.map(({ host, keyLabel, hold }) => `${host} (${[keyLabel, hold].filter(Boolean).join(': ')})`).join(', ')}`;

/** Lists the times of the next runs of all jobs. A run that is due and has not started is one of them. */
export const listNextTimes = (db: Db, now: number): number[] =>
  readSchedule(db).flatMap((entry) => listNextRuns(entry, now, 1));
