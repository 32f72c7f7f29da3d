import { DEFAULT_EMPTY_RUNS, DEFAULT_FAILED_RUNS, type JobNotify } from '#crawl/jobs/notify.ts';
import type { JobRunResult } from '#store/schema/query-results.ts';

/** Something that an alert of a job is about, with the facts of the alert. */
export interface JobCondition {
  readonly alert: 'job_failed' | 'job_empty';
  /** Whether it begins, or has ended. */
  readonly isFiring: boolean;
  readonly details: {
    readonly message: string;
    readonly job: string;
    /** The number of consecutive failed or empty runs. */
    readonly runs?: number;
    /** Why the newest failed run failed. */
    readonly reason?: string;
  };
}

/** Returns the number of newest runs to read: more than the thresholds, since some may be unfinished, cancelled or joined. */
export const countRunsToRead = (notify: JobNotify = {}): number =>
  2 * Math.max(notify.failedRuns ?? DEFAULT_FAILED_RUNS, notify.emptyRuns ?? DEFAULT_EMPTY_RUNS) + 10;

/**
 * Returns the result of a run. It failed if no crawl succeeded, or if its targets could not be read. Undefined if the run is
 * unfinished or cancelled, or if a later run joined all of its crawls.
 */
export function judgeRun({ crawls, failed, cancelled, isUnfinished, error, hasNews }: JobRunResult) {
  if (isUnfinished) return undefined;
  if (crawls === 0) return error === null ? undefined : 'failed';
  if (failed + cancelled === crawls) return failed > 0 ? 'failed' : undefined;
  return hasNews ? 'news' : 'empty';
}

/**
 * Evaluates the runs of a job. Returns the conditions that they determine: one begins after the given number of runs, and ends
 * with the first run of another result. @param runs newest first
 */
export function evaluateJob(job: string, runs: readonly JobRunResult[], notify: JobNotify = {}): JobCondition[] {
  const { failedRuns = DEFAULT_FAILED_RUNS, emptyRuns = DEFAULT_EMPTY_RUNS } = notify;
  const results = runs.map(judgeRun).filter((result) => result !== undefined);
  const successes = results.filter((result) => result !== 'failed');
  const failures = countFirst(results, 'failed');
  const empties = countFirst(successes, 'empty');
  const conditions: JobCondition[] = [];
  const add = (alert: JobCondition['alert'], isFiring: boolean, details: Omit<JobCondition['details'], 'job'>): void =>
    void conditions.push({ alert, isFiring, details: { ...details, job } });

  if (failedRuns > 0 && failures >= failedRuns) {
    const reason = runs.find((run) => judgeRun(run) === 'failed')?.reason ?? 'no targets';
    add('job_failed', true, {
      message: `job ${job}: the last ${failures} runs failed (${reason})`,
      runs: failures,
      reason,
    });
  }
  if (results.length > 0 && failures === 0) add('job_failed', false, { message: `job ${job}: a run succeeded again` });
  if (emptyRuns > 0 && empties >= emptyRuns)
    add('job_empty', true, { message: `job ${job}: the last ${empties} runs found nothing new`, runs: empties });
  if (successes.length > 0 && empties === 0)
    add('job_empty', false, { message: `job ${job}: a run found something new again` });
  return conditions;
}

/** Returns the number of values at the start that equal `value`. */
function countFirst<T>(values: readonly T[], value: T): number {
  const end = values.findIndex((one) => one !== value);
  return end === -1 ? values.length : end;
}
