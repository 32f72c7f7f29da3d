import { DEFAULT_EMPTY_RUNS, DEFAULT_FAILED_RUNS, type JobNotify } from '../../crawl/jobs/notify.ts';
import type { AlertState } from '../../store/schema/commit-messages.ts';
import type { JobRunResult } from '../../store/schema/query-results.ts';
import { type AlertDetails, formatDetails } from './notification.ts';

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
 * Evaluates the alerts of a job. Returns the states that the runs determine: an alert begins after the given number of runs,
 * and ends with the first run of another result. @param runs newest first
 */
export function evaluateJob(job: string, runs: readonly JobRunResult[], notify: JobNotify = {}): AlertState[] {
  const { failedRuns = DEFAULT_FAILED_RUNS, emptyRuns = DEFAULT_EMPTY_RUNS } = notify;
  const results = runs.map(judgeRun).filter((result) => result !== undefined);
  const successes = results.filter((result) => result !== 'failed');
  const failures = countFirst(results, 'failed');
  const empties = countFirst(successes, 'empty');
  const states: AlertState[] = [];
  const add = (alert: AlertState['alert'], isFiring: boolean, details: AlertDetails): void =>
    void states.push({ alert, subject: job, isFiring, details: formatDetails(details) });

  if (failedRuns > 0 && failures >= failedRuns) {
    const reason = runs.find((run) => judgeRun(run) === 'failed')?.reason ?? 'no targets';
    add('job_failed', true, {
      message: `job ${job}: the last ${failures} runs failed (${reason})`,
      job,
      runs: failures,
      reason,
    });
  }
  if (results.length > 0 && failures === 0)
    add('job_failed', false, { message: `job ${job}: a run succeeded again`, job });
  if (emptyRuns > 0 && empties >= emptyRuns)
    add('job_empty', true, { message: `job ${job}: the last ${empties} runs found nothing new`, job, runs: empties });
  if (successes.length > 0 && empties === 0)
    add('job_empty', false, { message: `job ${job}: a run found something new again`, job });
  return states;
}

/** Returns the number of values at the start that equal `value`. */
function countFirst<T>(values: readonly T[], value: T): number {
  const end = values.findIndex((one) => one !== value);
  return end === -1 ? values.length : end;
}
