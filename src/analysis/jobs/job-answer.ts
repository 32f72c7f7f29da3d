import type { Answer } from '#analysis/answer.ts';
import { formatMinute } from '#base/units.ts';
import { isEnabled, type Job, parseJob } from '#crawl/jobs/job.ts';
import { listNextRuns } from '#crawl/jobs/next-runs.ts';
import { readJobRuns } from '#store/crawls/job-runs.ts';
import { readSchedule } from '#store/crawls/stored-schedule.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';
import type { JobRunResult } from '#store/schema/query-results.ts';
import type { Db } from '#store/sqlite/database.ts';
import { countRunsToRead, evaluateJob } from './job-conditions.ts';
import { type JobHistoryEntry, toJobHistory } from './job-history.ts';
import { prepareRunTotals } from './run-totals.ts';

/** What is wrong with the runs of a job: what its alerts are about. */
export interface JobAttention {
  readonly alert: 'job_failed' | 'job_empty';
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** A scheduled job with its runs. Times are milliseconds UTC. */
export interface JobAnswer extends Answer<'disabled' | 'due' | 'scheduled' | 'ended'> {
  readonly job: Job;
  /** The time of a run that has not started. */
  readonly dueAt: number | null;
  /** The coming times after that, the next first. */
  readonly nextAt: readonly number[];
  readonly attention: JobAttention | null;
  /** The latest runs, and the times that were missed between them, newest first. */
  readonly history: readonly JobHistoryEntry[];
}

const NEXT_RUNS = 3;

/** Reads a job with its newest `most` runs. */
export function answerJob(db: Db, entry: ScheduledJob, { most, now }: { most: number; now: number }): JobAnswer {
  const job = parseJob(entry);
  const results = readJobRuns(db, job.name, Math.max(most + 1, countRunsToRead(job.notify)));
  const [attention = null] = judgeJob(job, results);
  const isAll = results.length <= most;
  const readTotals = prepareRunTotals(db);
  const coming = listNextRuns(entry, now, NEXT_RUNS + 1);
  const dueAt = coming[0] !== undefined && coming[0] <= now ? coming[0] : null;
  const nextAt = coming.slice(dueAt === null ? 0 : 1).slice(0, NEXT_RUNS);
  return {
    ...describeNext(job, dueAt ?? nextAt[0], dueAt !== null),
    job,
    dueAt,
    nextAt,
    attention,
    history: toJobHistory(entry, results.slice(0, most), { isAll, now, readTotals }),
  };
}

function describeNext(job: Job, next: number | undefined, isDue: boolean): Answer<JobAnswer['state']> {
  const answer = { label: job.name, command: null };
  if (!isEnabled(job)) return { ...answer, state: 'disabled', sentence: 'disabled' };
  if (next === undefined) return { ...answer, state: 'ended', sentence: 'no further run' };
  const time = `${formatMinute(next)}Z`;
  return isDue
    ? { ...answer, state: 'due', sentence: `due since ${time}`, command: 'work' }
    : { ...answer, state: 'scheduled', sentence: time };
}

/** Evaluates the runs of a job, newest first: at least `countRunsToRead` of them, if there are so many. */
const judgeJob = ({ name, notify }: Job, runs: readonly JobRunResult[]): JobAttention[] =>
  evaluateJob(name, runs.slice(0, countRunsToRead(notify)), notify)
    .filter(({ isFiring }) => isFiring)
    .map(({ alert, details: { message } }) => ({
      alert,
      severity: alert === 'job_failed' ? 'error' : 'warning',
      message,
    }));

/** Evaluates the runs of all jobs. */
export const judgeJobs = (db: Db): (JobAttention & { readonly name: string })[] =>
  readSchedule(db).flatMap((entry) => {
    const job = parseJob(entry);
    const { name } = job;
    return judgeJob(job, readJobRuns(db, name, countRunsToRead(job.notify))).map((found) => ({ ...found, name }));
  });

/** Prepares reading when a crawl of a job last ended complete, capped or partial; null if none did. */
export const prepareLastSuccess = ({ $client }: Db): ((job: string) => number | null) => {
  const read = $client
    .prepare<[string], number | null>(
      // Only the crawls of its runs are read, not all crawls in these states.
      `select max(finished_at) from runs cross join crawls indexed by crawls_run on run_id = runs.id and parent_id is null
       where job_name = ? and state in ('complete', 'capped', 'partial')`,
    )
    .pluck();
  return (job) => read.get(job)!;
};
