import { DAY, dayOf } from '../../clock.ts';

/** A time range in milliseconds UTC, without its end. Searched windows are whole days. */
export interface DateWindow {
  readonly from: number;
  readonly to: number;
}

export const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY;

export const countDays = ({ from, to }: DateWindow): number => Math.ceil((to - from) / DAY);

/** The parts of a window that are in none of the others, oldest first. */
export function subtractWindows(whole: DateWindow, taken: readonly DateWindow[]): DateWindow[] {
  let left: DateWindow[] = whole.to > whole.from ? [whole] : [];
  for (const { from, to } of taken) {
    left = left.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, from) },
        { from: Math.max(part.from, to), to: part.to },
      ].filter((rest) => rest.to > rest.from),
    );
    // An empty window splits a part in two that touch.
    left = mergeWindows(left);
  }
  return left;
}

/** Merges windows that touch or overlap; oldest first. */
export function mergeWindows(windows: readonly DateWindow[]): DateWindow[] {
  const all: DateWindow[] = [];
  for (const { from, to } of windows.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else all.push({ from, to });
  }
  return all;
}

/** The whole days that windows touch, in windows of at most `days` days, newest first: the newest gap matters most. */
export function splitIntoWindows(stretches: readonly DateWindow[], days = Infinity): DateWindow[] {
  const whole = mergeWindows(
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
  `${query} since:${dayOf(from - DAY)} until:${dayOf(to)}`;

/** The same without the day before: narrower if `since:` includes its day; otherwise it may find nothing. */
export const buildExactDayQuery = (query: string, { from, to }: DateWindow): string =>
  `${query} since:${dayOf(from)} until:${dayOf(to)}`;
