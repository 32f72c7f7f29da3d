import { readNextCursor } from '../../service/contract/wire-page.ts';
import type { CycleDetector } from '../../service/kinds/checkpoint.ts';
import type { ListEnd } from '../../service/kinds/end-states.ts';
import type { CrawlOptions } from '../../service/kinds/kinds.ts';
import type { PageSummary } from '../../store/normalise/parse-page.ts';
import { digestItems, digestText } from './cursor-origin.ts';

/**
 * Invariant 4, only the service ends a list, as a pure function from page to page.
 *
 *   a cursor that cannot be read                            -> partial (cursor_unreadable): no end;
 *                                                              since, where the list went past --since
 *   the items of the page before, asked for twice           -> partial (cursor_ignored): page-retry.ts
 *   no next cursor, and not the first page again            -> served
 *   the same on an endpoint that documents no cursor        -> one_page: more may exist
 *   an empty page with the cursor that was sent             -> inferred
 *   the second empty page in a row                          -> inferred
 *   the cursor that was sent, or an old one, and items      -> partial (cursor_repeated, cursor_cycle)
 *   a next cursor, where the endpoint is known to ignore it -> partial (cursor_ignored)
 *   the items of the first page, in any order               -> partial (cursor_cycle)
 *   a list in order that went past --since                  -> since
 *   --max-pages pages                                       -> partial (max_pages)
 *
 * Covered intervals (paginate.ts) and windows of searches (search/window-crawl.ts) may change the end. Then
 * service/kinds/end-states.ts says for each kind whether the crawl is `complete`, `capped` or `partial`; with rejected items it is
 * partial (invariant 5). The transaction of the page may change that end by stored evidence: service/kinds/end-by-stored-facts.ts.
 */

const RECENT = 16;

/** What decides on the end of a list, of a page and of its crawl. */
export interface PageFacts extends Pick<PageSummary, 'cursor' | 'servedCount' | 'itemIds'> {
  /** The cursor that the page was requested with; null for the first. */
  readonly sentCursor: string | null;
  /** The endpoint documents a cursor, so that a page without one is its last; or there is no list at all. */
  readonly isPaged: boolean;
  /** False when the endpoint is known to ignore cursors. */
  readonly cursorsWork: boolean;
  /** The list went past --since. */
  readonly isPastSince: boolean;
  /** Pages of this crawl, this one included. */
  readonly pages: number;
}

/** Returns how a page ends its list, undefined if it does not, and the cycle detector after it. */
export function decideEnd(page: PageFacts, detector: CycleDetector, { maxPages }: CrawlOptions) {
  const { sentCursor, servedCount } = page;
  const nextCursor = readNextCursor(page.cursor);
  const emptyPages = servedCount === 0 ? detector.emptyPages + 1 : 0;
  const entries = servedCount === 0 ? null : digestItems(page.itemIds);
  const next = nextCursor === null ? null : digestText(nextCursor);
  const after: CycleDetector = {
    firstPage: detector.firstPage ?? entries,
    lastPage: entries ?? detector.lastPage,
    recentCursors: next === null ? detector.recentCursors : [...detector.recentCursors, next].slice(-RECENT),
    olderCursor: isPowerOfTwo(page.pages) ? next : detector.olderCursor,
    emptyPages,
  };

  return { detector: after, end: findEnd() };

  function findEnd(): ListEnd | undefined {
    if (page.cursor.type === 'unreadable') return page.isPastSince ? SINCE : { reason: 'cursor_unreadable' };
    const hasItemsOfCursor = sentCursor !== null && page.itemIds.length > 0;
    if (hasItemsOfCursor && entries === detector.lastPage) return { reason: 'cursor_ignored' };
    const isFirstAgain = hasItemsOfCursor && entries === detector.firstPage;
    if (next === null && !isFirstAgain) return { ending: page.isPaged || sentCursor !== null ? 'served' : 'one_page' };
    if (servedCount === 0) return nextCursor === sentCursor || emptyPages >= 2 ? { ending: 'inferred' } : findLimit();
    if (!page.cursorsWork) return { reason: 'cursor_ignored' };
    if (nextCursor === sentCursor) return { reason: 'cursor_repeated' };
    // Without a next cursor, this is the first page again.
    if (next === null || isFirstAgain) return { reason: 'cursor_cycle' };
    if (detector.recentCursors.includes(next) || next === detector.olderCursor) return { reason: 'cursor_cycle' };
    return page.isPastSince ? SINCE : findLimit();
  }

  function findLimit(): ListEnd | undefined {
    const isReached = maxPages !== undefined && page.pages >= maxPages;
    return isReached ? { reason: 'max_pages' } : undefined;
  }
}

const SINCE: ListEnd = { ending: 'since' };

const isPowerOfTwo = (n: number): boolean => n > 0 && (n & (n - 1)) === 0;
