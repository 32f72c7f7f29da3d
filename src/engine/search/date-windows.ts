import { DAY } from '../../clock.ts';

/** A stretch of time in milliseconds UTC, its end left out. Windows that are searched are of whole days. */
export interface DateWindow {
  readonly from: number;
  readonly to: number;
}

export const startOfDay = (at: number): number => Math.floor(at / DAY) * DAY;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const countDays = ({ from, to }: DateWindow): number => Math.ceil((to - from) / DAY);

/**
 * What is left of a stretch when these are taken out of it, oldest first. The parts between are as exact as the
 * stretches are.
 */
export function subtractWindows(whole: DateWindow, taken: readonly DateWindow[]): DateWindow[] {
  let left: DateWindow[] = whole.to > whole.from ? [whole] : [];
  for (const { from, to } of taken) {
    left = left.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, from) },
        { from: Math.max(part.from, to), to: part.to },
      ].filter((rest) => rest.to > rest.from),
    );
    // What was taken out of nothing, or was empty, splits a part in two that still touch.
    left = mergeWindows(left);
  }
  return left;
}

/** Stretches that touch or overlap as one, oldest first. */
export function mergeWindows(windows: readonly DateWindow[]): DateWindow[] {
  const all: DateWindow[] = [];
  for (const { from, to } of windows.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) all[all.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else all.push({ from, to });
  }
  return all;
}

/**
 * The whole days that stretches touch, in windows of at most so many days, newest first: what is missing most is usually
 * what happened last.
 */
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

/** A window of several days in two, the newer half first; nothing for one of a single day. */
export function bisectWindow({ from, to }: DateWindow): DateWindow[] {
  const days = countDays({ from, to });
  if (days <= 1) return [];
  const middle = from + Math.ceil(days / 2) * DAY;
  return [
    { from: middle, to },
    { from, to: middle },
  ];
}

/**
 * A search string for a window. The spec says that `since:` is "after" a date and `until:` "before" one, and not whether
 * the day itself counts: so a window begins a day early, and neighbours overlap by a day.
 */
export const buildWindowQuery = (query: string, { from, to }: DateWindow): string =>
  `${query} since:${day(from - DAY)} until:${day(to)}`;

/** The same without the day before: where `since:` takes its day in, a narrower search; elsewhere it may find nothing. */
export const buildExactDayQuery = (query: string, { from, to }: DateWindow): string =>
  `${query} since:${day(from)} until:${day(to)}`;
