import { createCrawlSpec, type CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { ListEnd } from '#service/kinds/decide-end.ts';
import { type CrawlOptions, getKind } from '#service/kinds/kinds.ts';
import { formatTarget } from '#service/kinds/target.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { StoredCrawl, StoreQueries } from '#store/schema/query-results.ts';
import {
  bisectWindow,
  decideWindow,
  filterByWindow,
  type SearchPage,
  type WindowPage,
  buildExactDayQuery,
  buildWindowQuery,
  type DateWindow,
} from './date-windows.ts';

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

type WindowDecision = Pick<PageCommit, 'children' | 'searchedWindow'> & { readonly end: ListEnd };

/** What follows from the last page of a window's crawl. `end` is how its list ended. */
export function decideWindowEnd(
  end: ListEnd,
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
  // Search documents no cursor: an ignored one is no fault, the windows replace it.
  const reason = end.reason === 'cursor_ignored' ? undefined : end.reason;
  const halved: ListEnd = { ending: 'halved', reason };
  switch (outcome) {
    case 'halve': {
      const children = bisectWindow(window).map((half) => createWindowSpec(query, half, { priority, handle }));
      return { end: halved, children };
    }
    case 'exact': {
      const child = createWindowSpec(query, window, { priority, handle, exact: true });
      return { end: halved, children: [child] };
    }
    case 'saturated': {
      const own = filterByWindow(window, page);
      const shown = own.length > 0 ? own : page.tweets;
      const saturated = { newerId: shown[0]?.id ?? '', olderId: shown.at(-1)?.id ?? '' };
      const end: ListEnd = { ending: 'one_page', reason: 'saturated' };
      return { end, children: [], searchedWindow: { ...searchedWindow, saturated } };
    }
    case 'seen': {
      // There is a next page that cannot be requested: the window was not read to its end.
      if (reason === 'cursor_unreadable') return { end, children: [] };
      const ending = end.ending ?? (reason === undefined ? 'one_page' : undefined);
      return { end: { ending, reason }, children: [], searchedWindow };
    }
  }
}

/** What the store knows before a page of a search. */
export interface SearchFacts {
  readonly window: DateWindow | undefined;
  /** The page of the window that was bisected into this one. */
  readonly parentPage: SearchPage | undefined;
  /** The longest page of the endpoint. */
  readonly longestPage: { readonly entries: number; readonly seenAt: number } | undefined;
}

type SearchQueries = Pick<StoreQueries, 'loadCrawl' | 'searchHits' | 'largestPage'>;

export async function readSearchFacts(crawl: StoredCrawl, queries: SearchQueries): Promise<SearchFacts> {
  const window = readDateWindow(crawl.options);
  const parentPage = window && (await readParentPage(crawl, queries));
  return { window, parentPage, longestPage: await queries.largestPage(getKind(crawl.kind).endpoint) };
}

/** The page of the window that was bisected into this crawl's; undefined where there is none. */
async function readParentPage({ parentId }: StoredCrawl, queries: SearchQueries): Promise<SearchPage | undefined> {
  const parent = parentId === null ? undefined : await queries.loadCrawl(parentId);
  if (!parent || readDateWindow(parent.options) === undefined) return undefined;
  const { pages, items, rejectedItems: rejected, startedAt } = parent;
  return {
    served: Math.ceil((items + rejected) / Math.max(1, pages)),
    tweets: await queries.searchHits(buildRawQuery(parent), startedAt ?? 0),
  };
}
