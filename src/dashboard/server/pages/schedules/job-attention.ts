import { toSentence } from '../../../../base/text.ts';
import { type Job, parseJob } from '../../../../crawl/jobs/job.ts';
import { countRunsToRead, evaluateJob } from '../../../../ops/alerts/job-conditions.ts';
import { readJobRuns } from '../../../../store/crawls/job-runs.ts';
import { readSchedule } from '../../../../store/crawls/stored-schedule.ts';
import type { JobRunResult } from '../../../../store/schema/query-results.ts';
import type { Db } from '../../../../store/sqlite/database.ts';

/** What is wrong with the runs of a job: what its alerts are about. */
export interface JobAttention {
  readonly alert: 'job_failed' | 'job_empty';
  readonly job: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** Evaluates the runs of a job, newest first: at least `countRunsToRead` of them, if there are so many. */
export function judgeJob({ name, notify }: Job, runs: readonly JobRunResult[]): JobAttention[] {
  return evaluateJob(name, runs.slice(0, countRunsToRead(notify)), notify).flatMap(({ alert, isFiring, details }) => {
    if (!isFiring || (alert !== 'job_failed' && alert !== 'job_empty')) return [];
    const severity = alert === 'job_failed' ? 'error' : 'warning';
    return [{ alert, job: name, severity, message: toSentence((JSON.parse(details) as { message: string }).message) }];
  });
}

/** Evaluates all jobs. */
export const judgeJobs = (db: Db): JobAttention[] =>
  readSchedule(db).flatMap((entry) => {
    const job = parseJob(entry);
    return judgeJob(job, readJobRuns(db, job.name, countRunsToRead(job.notify)));
  });
