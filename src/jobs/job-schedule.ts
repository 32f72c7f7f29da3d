import { Cron } from 'croner';
import { DAY, MINUTE, SECOND } from '../clock.ts';

/** When a job runs: by the clock of a time zone, or again and again after the same time. */
export type Schedule = { readonly cron: string; readonly timezone: string } | { readonly every: number };

const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: 60 * MINUTE, d: DAY };

/** The text of an interval or of an age: a number with a unit. */
export const TIME_SPAN_PATTERN = '^[1-9][0-9]{0,5}[smhd]$';

/** A text of that form in milliseconds. */
export const parseTimeSpan = (text: string): number => Number(text.slice(0, -1)) * UNITS[text.at(-1)!]!;

/**
 * The times at which a job is due, its slots. They follow from the schedule and from when it was made and from nothing
 * else, so that every process, before and after any loss of Redis, computes the same ones: a slot identifies a run.
 */
export interface Slots {
  /** The newest slot that is not after `now`; undefined while there is none yet. */
  findLatest(now: number): number | undefined;
  /** The first slot after `now`; undefined when there is none any more. */
  findNext(now: number): number | undefined;
}

/** An interval's first slot is when it was made; a cron pattern's is the first time that it names after that. */
export function createSlots(schedule: Schedule, madeAt: number): Slots {
  if ('every' in schedule) {
    const { every } = schedule;
    const turns = (now: number) => Math.floor((now - madeAt) / every);
    return {
      findLatest: (now) => (now < madeAt ? undefined : madeAt + turns(now) * every),
      findNext: (now) => (now < madeAt ? madeAt : madeAt + (turns(now) + 1) * every),
    };
  }
  const cron = cronOf(schedule);
  return {
    findLatest(now) {
      // The previous run before a whole second does not count that second itself.
      const [run] = cron.previousRuns(1, new Date(now + 1));
      return run !== undefined && run.getTime() > madeAt ? run.getTime() : undefined;
    },
    findNext: (now) => cron.nextRun(new Date(Math.max(now, madeAt)))?.getTime(),
  };
}

/** What is wrong with a cron pattern, in words; undefined when it names times. */
export function describeCronError(pattern: string): string | undefined {
  // Croner would take a date, too.
  if (/^\d{4}-/.test(pattern)) return 'it is a date';
  try {
    return cronOf({ cron: pattern, timezone: 'UTC' }).nextRun() ? undefined : 'there is no such day';
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
const cronOf = (schedule: { cron: string; timezone: string }): Cron =>
  new Cron(schedule.cron, { timezone: schedule.timezone, mode: '5-or-6-parts', paused: true });
