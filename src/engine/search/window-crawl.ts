import { createCrawlSpec, type CrawlSpec } from '../../kinds/crawl-spec.ts';
import { createListEnd, createPartialEnd, type CrawlEnd, type Ending } from '../../kinds/end-states.ts';
import type { CrawlOptions } from '../../kinds/kinds.ts';
import { formatTarget } from '../../kinds/target.ts';
import type { PageCommit } from '../../store/schema/messages.ts';
import type { StoredCrawl, StoreQueries } from '../../store/schema/query-results.ts';
import { bisectWindow, decideWindow, filterByWindow, type SearchPage, type WindowPage } from './bisection.ts';
import { buildExactDayQuery, buildWindowQuery, type DateWindow } from './date-windows.ts';

/**
 * Search crawls of a date window (`from`, `to`). The page of one creates the crawls of its halves in the same transaction
 * where they may bring more, so that a bisection goes on with any worker and after a kill.
 */

/** The date window of a crawl; undefined if it has none. */
export const readDateWindow = ({ from, to }: CrawlOptions): DateWindow | undefined =>
  from === undefined || to === undefined ? undefined : { from, to };

/** The search string that a crawl of a query sends. */
export function buildRawQuery(crawl: Pick<StoredCrawl, 'target' | 'handle' | 'options'>): string {
  const window = readDateWindow(crawl.options);
  const query = formatTarget(crawl);
  return window ? (crawl.options.exact ? buildExactDayQuery : buildWindowQuery)(query, window) : query;
}

export function createWindowSpec(
  query: string,
  window: DateWindow,
  { priority, handle, ...options }: CrawlOptions & Pick<CrawlSpec, 'priority' | 'handle'>,
): CrawlSpec {
  const spec = createCrawlSpec({ kind: 'search', target: query, options: { ...options, ...window }, priority });
  return { ...spec, handle };
}

type WindowDecision = Pick<PageCommit, 'children' | 'searchedWindow'> & { readonly end: CrawlEnd };

/** What follows from the last page of a window's crawl. `end` is how the crawl would end without a window. */
export function decideWindowEnd(
  end: CrawlEnd,
  crawl: StoredCrawl,
  given: Omit<WindowPage, 'isExact'> & {
    readonly at: number;
    /** The endpoint follows cursors, so that a page without one is the last. */
    readonly isPaged: boolean;
  },
): WindowDecision {
  const { window, page, at, isPaged } = given;
  const isWhole = end.ending === 'served' || end.ending === 'inferred' || (end.ending === 'one_page' && isPaged);
  const isExact = crawl.options.exact === true;
  const outcome = isWhole ? 'seen' : decideWindow({ ...given, isExact });
  const { priority, handle, target: query } = crawl;
  const searchedWindow = { query, ...window, to: Math.min(window.to, at) };
  const isRejected = end.reason === 'rejected_items';
  // Search documents no cursor: an ignored one is no fault, the windows replace it.
  const isOver = !isRejected && (end.state !== 'partial' || end.reason === 'cursor_ignored');
  const endOf = (ending: Ending | undefined): CrawlEnd =>
    isOver ? createListEnd(crawl.kind, ending, 0) : { ...end, ending };
  switch (outcome) {
    case 'halve': {
      const children = bisectWindow(window).map((half) => createWindowSpec(query, half, { priority, handle }));
      return { end: endOf('halved'), children };
    }
    case 'exact': {
      const child = createWindowSpec(query, window, { priority, handle, exact: true });
      return { end: endOf('halved'), children: [child] };
    }
    case 'saturated': {
      const own = filterByWindow(window, page);
      const shown = own.length > 0 ? own : page.tweets;
      const saturated = { newerId: shown[0]?.id ?? '', olderId: shown.at(-1)?.id ?? '' };
      const end = createPartialEnd('saturated', 'one_page');
      return { end, children: [], searchedWindow: { ...searchedWindow, saturated } };
    }
    case 'seen':
      // There is a next page that cannot be requested: the window was not read to its end.
      if (end.reason === 'cursor_unreadable') return { end, children: [] };
      return { end: endOf(end.ending ?? (isOver ? 'one_page' : undefined)), children: [], searchedWindow };
  }
}

/** The page of the window that was bisected into this crawl's; undefined where there is none. */
export async function readParentPage(
  { parentId }: StoredCrawl,
  queries: Pick<StoreQueries, 'loadCrawl' | 'searchHits'>,
): Promise<SearchPage | undefined> {
  const parent = parentId === null ? undefined : await queries.loadCrawl(parentId);
  if (!parent || readDateWindow(parent.options) === undefined) return undefined;
  const { pages, items, rejectedItems: rejected, startedAt } = parent;
  return {
    served: Math.ceil((items + rejected) / Math.max(1, pages)),
    tweets: await queries.searchHits(buildRawQuery(parent), startedAt ?? 0),
  };
}
