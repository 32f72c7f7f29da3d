import { DAY } from '../clock.ts';

/** A stretch of days, from the first moment of one to the first moment of another, in milliseconds UTC. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const midnight = (at: number): number => Math.floor(at / DAY) * DAY;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/**
 * The days between two moments in windows of at most so many days, newest first: what is missing most is usually what
 * happened last. The last window ends with the day of `until`.
 */
export function windowsBetween(since: number, until: number, days: number): Window[] {
  const windows: Window[] = [];
  const first = midnight(since);
  for (let to = midnight(until - 1) + DAY; to > first; to -= days * DAY) {
    windows.push({ from: Math.max(first, to - days * DAY), to });
  }
  return windows;
}

/**
 * A search string for a window. The spec says that `since:` is "after" a date and `until:` "before" one, and not whether
 * the day itself counts: so a window begins a day early, and neighbours overlap by a day.
 */
export const searchWithin = (query: string, { from, to }: Window): string =>
  `${query} since:${day(from - DAY)} until:${day(to)}`;
