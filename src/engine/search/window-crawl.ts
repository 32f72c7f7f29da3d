import { createCrawlSpec, parseCrawlOptions } from '../../kinds/crawl-spec.ts';
import type { CrawlOptions } from '../../kinds/kinds.ts';
import { formatTarget } from '../../kinds/target.ts';
import type { NormalisedPage } from '../../normalise/pages.ts';
import { type Ending, stateOfEnd } from '../../store/evidence/end-states.ts';
import type { Reads } from '../../store/reads.ts';
import type { CrawlEnd, CrawlRow, CrawlSpec, PageCommit } from '../../store/schema/messages.ts';
import { type SearchPage, decideWindow, type WindowOutcome, filterByWindow } from './bisection.ts';
import { countDays, bisectWindow, buildExactDayQuery, buildWindowQuery, type DateWindow } from './date-windows.ts';

/**
 * A search crawl of a window of days (`from`, `to`). With its page it opens the crawls of its halves where that may bring
 * more: in the same transaction, so that the halving goes on whoever works on it, and after whatever kill.
 */

/** The window of a crawl that is of one. */
export const readDateWindow = ({ from, to }: CrawlOptions): DateWindow | undefined =>
  from === undefined || to === undefined ? undefined : { from, to };

/** The search string that a crawl of a query sends. */
export function buildRawQuery(crawl: Pick<CrawlRow, 'target' | 'handle' | 'options'>): string {
  const options = parseCrawlOptions(crawl);
  const window = readDateWindow(options);
  const query = formatTarget(crawl);
  return window ? (options.exact ? buildExactDayQuery : buildWindowQuery)(query, window) : query;
}

export const createWindowSpec = (
  query: string,
  window: DateWindow,
  more: CrawlOptions & Pick<CrawlSpec, 'class' | 'handle'>,
): CrawlSpec => {
  const { class: as, handle, ...options } = more;
  const spec = createCrawlSpec({ kind: 'search', target: query, options: { ...options, ...window }, class: as });
  return { ...spec, handle };
};

type WindowDecision = Pick<PageCommit, 'children' | 'searched'> & { readonly end: CrawlEnd };

/** What the last page of a window's crawl comes to. `end` is how the crawl would end if it were of no window. */
export function decideWindowEnd(
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
): WindowDecision {
  const { crawl, page, served, at, longest, isPaged, read } = of;
  const options = parseCrawlOptions(crawl);
  const window = readDateWindow(options)!;
  // Asked again in halves, it matters little that it was cut short.
  const isWhole = end.ending === 'served' || end.ending === 'inferred' || (end.ending === 'one_page' && isPaged);
  const found: SearchPage = { served, tweets: page.positions.filter((place) => place !== null) };
  const outcome: WindowOutcome = isWhole
    ? 'seen'
    : decideWindow({
        ...{ window, page: found, longest },
        isDay: countDays(window) <= 1,
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
        children: bisectWindow(window).map((half) => createWindowSpec(query, half, more)),
      };
    case 'exact':
      return { end: endOf('halved'), children: [createWindowSpec(query, window, { ...more, exact: true })] };
    case 'saturated': {
      const own = filterByWindow(window, found);
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
function pageBefore(crawl: CrawlRow, read: Reads): SearchPage | undefined {
  const parent = crawl.parentId === null ? undefined : read.crawl(crawl.parentId);
  if (!parent || parent.kind !== 'search' || readDateWindow(parseCrawlOptions(parent)) === undefined) return undefined;
  const { pages, items, rejected, startedAt } = parent;
  return {
    served: Math.ceil((items + rejected) / Math.max(1, pages)),
    tweets: read.searchHits(buildRawQuery(parent), startedAt ?? 0),
  };
}
