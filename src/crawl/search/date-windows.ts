import { DAY } from '#base/clock.ts';
import { mergeRanges, type TimeRange } from '#base/time-ranges.ts';
import { formatDay } from '#base/units.ts';
import type { ListPosition } from '#store/normalise/parse-page.ts';

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

/**
 * What follows from a searched window, as a pure function of its page and of the page of the window around it. Search is
 * sorted by relevance and shows one page. A page does not show whether it is cut:
 *
 *   the page shows items of the window that the page before did not       -> it may hide more: bisect
 *   it is as long as the longest page of the service                      -> the same: a burst fills the pages of all
 *                                                                            windows around it with the same tweets
 *   neither                                                               -> `seen`
 *   a single day has no halves: search it without the day of overlap      -> `exact`
 *   that page is as long, or shorter pages hide items                     -> `saturated`
 *
 * If pages are cut to one length, a window that is seen and not saturated was shown whole, for any ranking and any reading
 * of `since:` and `until:` (test/engine/bisection.test.ts). Coverage claims nothing from it all the same: invariant 5.
 */
export type WindowOutcome = 'seen' | 'halve' | 'exact' | 'saturated';

/** A page of a search: its number of entries, and its readable tweets. */
export interface SearchPage {
  readonly served: number;
  readonly tweets: readonly ListPosition[];
}

export interface WindowPage {
  readonly window: DateWindow;
  /** The day was searched without the overlap. */
  readonly isExact: boolean;
  readonly page: SearchPage;
  /** The page of the window around this one; undefined where there is none. */
  readonly before: SearchPage | undefined;
  /** The longest page of the endpoint so far. */
  readonly longest: number;
}

export function decideWindow({ window, isExact, page, before, longest }: WindowPage): WindowOutcome {
  const isFull = ({ served }: SearchPage): boolean => served > 0 && served >= longest;
  const own = filterByWindow(window, page);
  const known = before && filterByWindow(window, before);
  const ids = new Set(known?.map(({ id }) => id));
  const bringsNew = own.some(({ id }) => !ids.has(id));
  if (!isExact) {
    if (!bringsNew && !isFull(page)) return 'seen';
    return countDays(window) <= 1 ? 'exact' : 'halve';
  }
  const day = before ?? page;
  // The service searched another day: only the wider search counts.
  if (own.length === 0 && (page.served > 0 || known?.length !== 0)) return isFull(day) ? 'saturated' : 'seen';
  const hidesWhileShort = bringsNew && !isFull(day);
  return isFull(page) || hidesWhileShort ? 'saturated' : 'seen';
}

/** The tweets of a page that are in a window; a tweet without a time may be. */
export const filterByWindow = ({ from, to }: DateWindow, { tweets }: SearchPage): readonly ListPosition[] =>
  tweets.filter(({ at }) => at === null || (at >= from && at < to));

/** The two halves of a window, the newer first; empty for a single day. */
export function bisectWindow({ from, to }: DateWindow): DateWindow[] {
  const days = countDays({ from, to });
  if (days <= 1) return [];
  const middle = from + Math.ceil(days / 2) * DAY;
  return [
    { from: middle, to },
    { from, to: middle },
  ];
}
