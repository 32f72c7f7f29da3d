import { describe, expect, test } from 'vitest';
import { describeSchedule } from '#crawl/jobs/describe-job.ts';
import { createScheduleEntry, type Job } from '#crawl/jobs/job.ts';
import { findMissedRuns } from '#crawl/jobs/missed-runs.ts';
import { listNextRuns } from '#crawl/jobs/next-runs.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 5);
const at = (hours: number): number => START + hours * HOUR;

function scheduled(job: Partial<Job>, slot: number | null = null): ScheduledJob {
  const whole: Job = {
    name: 'a',
    schedule: { every: HOUR },
    kind: 'timeline',
    targets: { list: ['x'] },
    priority: 'scheduled',
    options: {},
    ...job,
  };
  return { ...createScheduleEntry(whole), madeAt: START, slot, lastRun: null };
}

const find = (entry: ScheduledJob, times: readonly number[], now: number, isAll = true) =>
  Object.fromEntries(findMissedRuns(entry, { times, isAll }, now));

describe('the missed runs of an hourly job', () => {
  const hourly = scheduled({});

  test('none while each time has its run, also one that starts late or is due', () => {
    expect(find(hourly, [at(2) + 50 * 60_000, at(1), at(0)], at(3.5))).toEqual({});
    expect(find(hourly, [], at(0.5))).toEqual({});
  });

  test('the times between two runs belong to the later one, and those after the newest run to none; the newest is due', () => {
    expect(find(hourly, [at(6), at(1), at(0)], at(9.5))).toEqual({
      '-1': { from: at(7), to: at(8), count: 2, isBounded: false },
      0: { from: at(2), to: at(5), count: 4, isBounded: false },
    });
  });

  test('the times before the first run count, unless older runs were not read', () => {
    const missed = { 0: { from: at(0), to: at(2), count: 3, isBounded: false } };
    expect(find(hourly, [at(3)], at(3.5))).toEqual(missed);
    expect(find(hourly, [at(3)], at(3.5), false)).toEqual({});
    // A run before the job got this schedule shows that all later ones were read.
    expect(find(hourly, [at(3), at(-20)], at(3.5), false)).toEqual(missed);
  });

  test('a run whose clock is some seconds early is for the next time', () => {
    expect(find(hourly, [at(2) + 1000, at(1) - 1000, at(0)], at(2.5))).toEqual({});
  });

  test('a long pause is counted up to a limit', () => {
    const { '-1': missed } = find(hourly, [at(0)], at(5000.5));
    expect(missed).toEqual({ from: at(1), to: at(4999), count: 1000, isBounded: true });
  });

  test('a disabled job misses nothing', () => {
    expect(find(scheduled({ enabled: false }), [at(0)], at(9))).toEqual({});
  });
});

test('a cron schedule misses its times in its time zone', () => {
  const daily = scheduled({ schedule: { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin' } });
  // From Monday to the next Tuesday, with a run on Monday: missed are Tuesday to Friday and Monday; Tuesday is due.
  const now = at(8 * 24 + 5.5);
  expect(find(daily, [at(5) + 1000], now)).toEqual({
    '-1': { from: at(24 + 5), to: at(7 * 24 + 5), count: 5, isBounded: false },
  });
  expect(listNextRuns(daily, now, 2)).toEqual([at(8 * 24 + 5), at(9 * 24 + 5)]);
});

test('schedules in words', () => {
  const words = (schedule: Job['schedule']): string => describeSchedule({ schedule } as Job);
  expect(words({ every: 6 * HOUR })).toBe('Every 6 h');
  expect(words({ cron: '30 6 * * 1-5', timezone: 'Europe/Berlin' })).toBe(
    'At 06:30, Monday through Friday, Europe/Berlin',
  );
  expect(words({ cron: '0 0 1 * *', timezone: 'UTC' })).toBe('At 00:00, on day 1 of the month, UTC');
  expect(words({ cron: '0 0 6 * * 7', timezone: 'UTC' })).toBe('At 06:00, only on Sunday, UTC');
});
