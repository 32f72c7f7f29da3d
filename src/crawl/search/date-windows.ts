import { DAY } from '../../base/clock.ts';
import { mergeRanges, type TimeRange } from '../../base/time-ranges.ts';
import { formatDay } from '../../base/units.ts';

/** A time range that is searched. Searched windows are whole days. */
export type DateWindow = TimeRange;

export const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY;

export const countDays = ({ from, to }: DateWindow): number => Math.ceil((to - from) / DAY);

/** The whole days that windows touch, in windows of at most `days` days, newest first: the newest gap matters most. */
export function splitIntoWindows(stretches: readonly DateWindow[], days = Infinity): DateWindow[] {
  const whole = mergeRanges(
    stretches.map(({ from, to }) => ({ from: startOfDay(from), to: startOfDay(to - 1) + DAY })),
  );
  return whole.toReversed().flatMap(({ from, to }) => {
    const windows: DateWindow[] = [];
    for (let end = to; end > from; end -= days * DAY) windows.push({ from: Math.max(from, end - days * DAY), to: end });
    return windows;
  });
}

/**
 * The search string for a window. The spec does not say whether `since:` and `until:` include their day: so a window
 * begins a day early, and neighbours overlap by a day.
 */
export const buildWindowQuery = (query: string, { from, to }: DateWindow): string =>
  `${query} since:${formatDay(from - DAY)} until:${formatDay(to)}`;

/** The same without the day before: narrower if `since:` includes its day; otherwise it may find nothing. */
export const buildExactDayQuery = (query: string, { from, to }: DateWindow): string =>
  `${query} since:${formatDay(from)} until:${formatDay(to)}`;
