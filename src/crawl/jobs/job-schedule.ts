import { Cron } from 'croner';
import { TIME_UNITS } from '#base/clock.ts';
import type { AdaptiveSchedule } from './adaptive-interval.ts';

/** When a job runs: at times of a time zone, or at an interval in milliseconds, at which it may crawl only what is due. */
export type Schedule =
  | { readonly cron: string; readonly timezone: string }
  | { readonly every: number; readonly greatest?: number };

/** Whether each target has an interval of its own, up to the greatest. */
export const isAdaptive = (schedule: Schedule): schedule is AdaptiveSchedule => 'greatest' in schedule;

/** An interval or an age: a number with a unit. */
export const TIME_SPAN_PATTERN = '^[1-9][0-9]{0,5}[smhd]$';

/** Parses a text of that form. Returns milliseconds. */
export const parseTimeSpan = (text: string): number => Number(text.slice(0, -1)) * TIME_UNITS[text.at(-1)!]!;

/**
 * The times at which a job is due, in milliseconds UTC. A slot identifies a run: it depends only on the schedule and its
 * creation time, so all processes compute the same slots, also after a loss of Redis.
 */
export interface Slots {
  /** The newest slot at or before `now`; undefined before the first. */
  findLatest(now: number): number | undefined;
  /** The first slot after `now`; undefined after the last. */
  findNext(now: number): number | undefined;
}

/** The first slot of an interval is its creation time; that of a cron pattern is the first match after it. */
export function createSlots(schedule: Schedule, madeAt: number): Slots {
  if ('every' in schedule) {
    const { every } = schedule;
    return {
      findLatest: (now) => (now < madeAt ? undefined : now - ((now - madeAt) % every)),
      findNext: (now) => (now < madeAt ? madeAt : now - ((now - madeAt) % every) + every),
    };
  }
  const cron = createCron(schedule);
  return {
    findLatest(now) {
      // `previousRuns` excludes the given second.
      const [run] = cron.previousRuns(1, new Date(now + 1));
      return run !== undefined && run.getTime() > madeAt ? run.getTime() : undefined;
    },
    findNext: (now) => cron.nextRun(new Date(Math.max(now, madeAt)))?.getTime(),
  };
}

/** Returns why a cron pattern is invalid; undefined if it is valid. */
export function describeCronError(pattern: string): string | undefined {
  // Croner also accepts a date.
  if (/^\d{4}-/.test(pattern)) return 'it is a date';
  try {
    return createCron({ cron: pattern, timezone: 'UTC' }).nextRun() ? undefined : 'there is no such day';
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '');
  }
}

export function isTimezone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Five fields, or six with seconds first. */
const createCron = ({ cron, timezone }: { cron: string; timezone: string }): Cron =>
  new Cron(cron, { timezone, mode: '5-or-6-parts', paused: true });
