import { crawlSpec, optionsOf } from '../../kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../kinds/kinds.ts';
import { spelledTarget } from '../../kinds/target.ts';
import type { NormalisedPage } from '../../normalise/pages.ts';
import { type Ending, stateOfEnd } from '../../store/evidence/end-states.ts';
import type { Reads } from '../../store/reads.ts';
import type { CrawlEnd, CrawlRow, CrawlSpec, PageCommit } from '../../store/schema/messages.ts';
import { type Found, judgeWindow, type Outcome, within } from './bisection.ts';
import { daysOf, halvesOf, searchExactly, searchWithin, type Window } from './date-windows.ts';

/**
 * A search crawl of a window of days (`from`, `to`). With its page it opens the crawls of its halves where that may bring
 * more: in the same transaction, so that the halving goes on whoever works on it, and after whatever kill.
 */

/** The window of a crawl that is of one. */
export const windowOf = ({ from, to }: CrawlOptions): Window | undefined =>
  from === undefined || to === undefined ? undefined : { from, to };

/** The search string that a crawl of a query sends. */
export function rawQueryOf(crawl: Pick<CrawlRow, 'target' | 'handle' | 'options'>): string {
  const options = optionsOf(crawl);
  const window = windowOf(options);
  const query = spelledTarget(crawl);
  return window ? (options.exact ? searchExactly : searchWithin)(query, window) : query;
}

export const windowSpec = (
  query: string,
  window: Window,
  more: CrawlOptions & Pick<CrawlSpec, 'class' | 'handle'>,
): CrawlSpec => {
  const { class: as, handle, ...options } = more;
  const spec = crawlSpec({ kind: 'search', target: query, options: { ...options, ...window }, class: as });
  return { ...spec, handle };
};

type Conclusion = Pick<PageCommit, 'children' | 'searched'> & { readonly end: CrawlEnd };

/** What the last page of a window's crawl comes to. `end` is how the crawl would end if it were of no window. */
export function concludeWindow(
  end: CrawlEnd,
  of: {
    crawl: CrawlRow;
    page: NormalisedPage;
    served: number;
    at: number;
    longest: number;
    /** The service follows cursors here, so that a page without one is the last of all. */
    isPaged: boolean;
    read: Reads;
  },
): Conclusion {
  const { crawl, page, served, at, longest, isPaged, read } = of;
  const options = optionsOf(crawl);
  const window = windowOf(options)!;
  // Asked again in halves, it matters little that it was cut short.
  const isWhole = end.ending === 'served' || end.ending === 'inferred' || (end.ending === 'one_page' && isPaged);
  const found: Found = { served, tweets: page.places.filter((place) => place !== null) };
  const outcome: Outcome = isWhole
    ? 'seen'
    : judgeWindow({
        ...{ window, page: found, longest },
        isDay: daysOf(window) <= 1,
        isExact: options.exact === true,
        before: pageBefore(crawl, read),
      });
  const more = { class: crawl.class, handle: crawl.handle };
  const { target: query } = crawl;
  const isRejected = end.reason === 'rejected_items';
  // An ignored cursor is no fault where none is documented: the windows stand for it.
  const isOver = !isRejected && (end.state !== 'partial' || end.reason === 'cursor_ignored');
  const endOf = (ending: Ending | undefined): CrawlEnd =>
    isOver ? { state: stateOfEnd(crawl.kind, ending), ending } : { ...end, ending };
  switch (outcome) {
    case 'halve':
      return {
        end: endOf('halved'),
        children: halvesOf(window).map((half) => windowSpec(query, half, more)),
      };
    case 'exact':
      return { end: endOf('halved'), children: [windowSpec(query, window, { ...more, exact: true })] };
    case 'saturated': {
      const own = within(window, found);
      const shown = own.length > 0 ? own : found.tweets;
      const [newest, oldest] = [shown[0], shown.at(-1)].map((place) => place?.id ?? '');
      const saturated = { newerId: newest!, olderId: oldest! };
      return {
        end: { state: 'partial', reason: 'saturated', ending: 'one_page' },
        children: [],
        searched: { query, ...window, to: Math.min(window.to, at), saturated },
      };
    }
    case 'seen':
      // The page names a next one that nobody can ask for: the window was not seen to its end.
      if (end.reason === 'cursor_unreadable') return { end, children: [] };
      return {
        end: endOf(end.ending ?? (isOver ? 'one_page' : undefined)),
        children: [],
        searched: { query, ...window, to: Math.min(window.to, at) },
      };
  }
}

/** What the crawl showed whose half this one is. */
function pageBefore(crawl: CrawlRow, read: Reads): Found | undefined {
  const parent = crawl.parentId === null ? undefined : read.crawl(crawl.parentId);
  if (!parent || parent.kind !== 'search' || windowOf(optionsOf(parent)) === undefined) return undefined;
  const { pages, items, rejected, startedAt } = parent;
  return {
    served: Math.ceil((items + rejected) / Math.max(1, pages)),
    tweets: read.searchHits(rawQueryOf(parent), startedAt ?? 0),
  };
}
