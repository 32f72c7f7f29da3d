import type { ListPosition } from '../../normalise/pages.ts';
import type { DateWindow } from './date-windows.ts';

/**
 * What becomes of a searched window, as a pure function of its page and of the page of the window that it is a part of.
 * Search is sorted by relevance and shows one page. Whether a page is cut cannot be told from it:
 *
 *   the page shows something of the window that the page before did not   -> it may hide more: ask again in halves
 *   it is as long as the longest page that the service was seen to give   -> the same: a burst fills the pages of all
 *                                                                            windows around it with the same tweets
 *   neither                                                               -> `seen`
 *   a single day has no halves: it is asked without the day of overlap    -> `exact`
 *   and if that is as full, or pages were seen to hide while being short  -> `saturated`
 *
 * With pages cut to one length, whatever the ranking and whichever way the service takes `since:` and `until:`, what is
 * seen and not saturated was shown whole (test/engine/bisection.test.ts). Nothing is claimed on it all the same: invariant 5.
 */
export type WindowOutcome = 'seen' | 'halve' | 'exact' | 'saturated';

/** A page of a search: how many entries it had, and those of its tweets that could be read. */
export interface SearchPage {
  readonly served: number;
  readonly tweets: readonly ListPosition[];
}

export interface WindowPage {
  readonly window: DateWindow;
  readonly isDay: boolean;
  /** The day was asked for without the overlap. */
  readonly isExact: boolean;
  readonly page: SearchPage;
  /** What the window that this one is a part of showed; undefined where it is no part of another. */
  readonly before: SearchPage | undefined;
  /** The longest page of the endpoint so far. */
  readonly longest: number;
}

export function decideWindow({ window, isDay, isExact, page, before, longest }: WindowPage): WindowOutcome {
  const isFull = ({ served }: SearchPage): boolean => served > 0 && served >= longest;
  const own = filterByWindow(window, page);
  const known = before && filterByWindow(window, before);
  const ids = new Set(known?.map(({ id }) => id));
  const bringsNew = own.some(({ id }) => !ids.has(id));
  if (!isExact) {
    if (!bringsNew && !isFull(page)) return 'seen';
    return isDay ? 'exact' : 'halve';
  }
  const day = before ?? page;
  // It was about another day, as the service takes dates: what the wider search showed is all there is to go by.
  if (own.length === 0 && (page.served > 0 || known?.length !== 0)) return isFull(day) ? 'saturated' : 'seen';
  const hidesWhileShort = bringsNew && !isFull(day);
  return isFull(page) || hidesWhileShort ? 'saturated' : 'seen';
}

/** Of what a page shows, that which is of a window; a tweet without a time may be. */
export const filterByWindow = ({ from, to }: DateWindow, { tweets }: SearchPage): readonly ListPosition[] =>
  tweets.filter(({ at }) => at === null || (at >= from && at < to));
