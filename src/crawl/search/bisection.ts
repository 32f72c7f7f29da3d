import { DAY } from '../../base/clock.ts';
import type { ListPosition } from '../../store/normalise/normalise-page.ts';
import { countDays, type DateWindow } from './date-windows.ts';

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
