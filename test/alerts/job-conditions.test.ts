import { expect, test } from 'vitest';
import { evaluateJob } from '#analysis/jobs/job-conditions.ts';
import type { JobRunResult } from '#store/schema/query-results.ts';

const BASE: JobRunResult = {
  runId: 1,
  at: 0,
  error: null,
  crawls: 2,
  failed: 0,
  cancelled: 0,
  reason: null,
  isUnfinished: false,
  hasNews: true,
};
const RUNS: Readonly<Record<string, JobRunResult>> = {
  'N has news': BASE,
  'E found nothing': { ...BASE, hasNews: false },
  'F all failed': { ...BASE, failed: 2, reason: 'unreachable', hasNews: false },
  'f one failed': { ...BASE, failed: 1, reason: 'not_found' },
  'X could not read its targets': { ...BASE, crawls: 0, error: 'no such table', hasNews: false },
  'J was joined later': { ...BASE, crawls: 0, hasNews: false },
  'U is unfinished': { ...BASE, failed: 1, isUnfinished: true, hasNews: false },
  'C was cancelled': { ...BASE, cancelled: 2, hasNews: false },
  'c failed in part and was cancelled': { ...BASE, failed: 1, cancelled: 1, reason: 'unreachable', hasNews: false },
};
const runOf = (letter: string): JobRunResult => Object.entries(RUNS).find(([name]) => name.startsWith(letter))![1];

/** [runs, newest first; the certain states] */
test.each([
  ['', []],
  ['N', ['-job_failed', '-job_empty']],
  ['FF', []],
  ['FFF', ['+job_failed']],
  ['FXF', ['+job_failed']],
  ['FFFN', ['+job_failed', '-job_empty']],
  ['cFF', ['+job_failed']],
  ['fFF', ['-job_failed', '-job_empty']],
  ['NFFF', ['-job_failed', '-job_empty']],
  ['UFFF', ['+job_failed']],
  ['JFFF', ['+job_failed']],
  ['CFFF', ['+job_failed']],
  ['FUF', []],
  ['EEE', ['-job_failed']],
  ['EEEE', ['-job_failed', '+job_empty']],
  ['EEFEE', ['-job_failed', '+job_empty']],
  ['EENEE', ['-job_failed']],
  ['NEEEE', ['-job_failed', '-job_empty']],
  ['UUJ', []],
] as const)('runs %s: %j', (letters, expected) => {
  const states = evaluateJob('nightly', Array.from(letters, runOf), { emptyRuns: 4 });
  expect(states.map(({ alert, isFiring }) => `${isFiring ? '+' : '-'}${alert}`)).toEqual(expected);
});

test('0 runs turn an alert off', () => {
  const states = evaluateJob('nightly', Array.from('FFFFFFEEEEEEEEEEEE', runOf), { failedRuns: 0, emptyRuns: 0 });
  expect(states.filter(({ isFiring }) => isFiring)).toEqual([]);
});
