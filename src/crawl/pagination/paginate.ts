import type { CrawlCheckpoint, OrderedScan, CycleDetector } from '#service/kinds/checkpoint.ts';
import type { ListEnd } from '#service/kinds/decide-end.ts';
import { getKind, type CrawlOptions } from '#service/kinds/kinds.ts';
import type { PageSummary } from '#store/normalise/parse-page.ts';
import type { CoverageUpdate } from '#store/schema/commit-messages.ts';
import type { CoveredInterval, StoredCrawl } from '#store/schema/query-results.ts';
import { restartCheckpoint } from './cursor-hints.ts';
import { type CursorRequest, digestText, digestItems } from './cursor-origin.ts';
import { type CoveredIntervalMatch, findCoveredInterval } from './incremental.ts';
import {
  BELOW,
  findRereadRange,
  isPastTime,
  listCoveredSpans,
  markReported,
  scanPage,
  type ScanResult,
  startScan,
  UNORDERED,
} from './ordered-scan.ts';

const FIRST_IDS = 4;

/** What pagination needs besides the crawl and the summary of the page. */
export interface PaginationInput extends Pick<PageFacts, 'cursorsWork'> {
  readonly request: CursorRequest;
  /** When the page was requested. */
  readonly at: number;
  /** The digest of the list up to this page, of kinds that need one. */
  readonly listDigest: string | undefined;
  /** The complete intervals of the list, newest first; empty where the crawl does not stop at them. */
  readonly intervals: readonly CoveredInterval[];
  /** The hint that the next request tries. */
  readonly trial: CrawlCheckpoint['hint'];
}

/** Where a crawl stands after a page, and what the page adds to its coverage. */
export interface Pagination {
  readonly cursor: string | null;
  readonly checkpoint: Omit<CrawlCheckpoint, 'isHandleVerified'>;
  readonly covered: CoverageUpdate | undefined;
  readonly end: ListEnd | undefined;
}

/** Decides on the end of the list (invariant 4), the coverage (invariant 5) and the next cursor. Pure. */
export function paginate(crawl: StoredCrawl, page: PageSummary, input: PaginationInput): Pagination {
  const { isNewestFirst } = getKind(crawl.kind);
  const { checkpoint, cursor } = crawl;
  const { request, at } = input;
  const scanned = isNewestFirst ? scanPage(checkpoint.scan ?? startScan(cursor), page.positions, at) : UNORDERED;
  const nextCursor = page.cursor.value;
  const list = decideListEnd(crawl, page, scanned.scan, input.cursorsWork);
  const match = isNewestFirst && matchInterval(list.end, scanned.scan, crawl, input);
  const mayJump = match?.next === 'jump' && list.end === undefined && !isVisited(match.cursor, nextCursor, crawl);
  const jump = mayJump ? match : undefined;
  const target = match?.next === 'end' ? match : jump;
  // An end that joins an inferred end is inferred, too.
  const end: ListEnd | undefined =
    match?.next === 'end' ? { ending: match.isInferred ? 'joined_inferred' : 'joined' } : list.end;
  const origin = nextCursor === null ? null : { ...request, issuedAt: at };
  // The page at this cursor was never shown: a resumed crawl asks for it again.
  const isIgnored = end?.reason === 'cursor_ignored' && cursor !== null;
  const next: Pagination['checkpoint'] = {
    cycleDetector: list.detector,
    scan: isNewestFirst ? markReported(jump?.scan ?? scanned.scan) : undefined,
    cursorOrigin: jump?.cursorOrigin ?? (isIgnored ? checkpoint.cursorOrigin : origin),
    firstIds: cursor === null ? page.itemIds.slice(0, FIRST_IDS) : checkpoint.firstIds,
    hasInheritedCursor: jump && true,
    skippedDownTo: jump?.into ?? checkpoint.skippedDownTo,
    listDigest: input.listDigest,
    hasSkippedRejects: checkpoint.hasSkippedRejects || (target && !target.isWhole) || undefined,
    // After a jump, the next request sends the cursor of another crawl.
    hint: jump ? undefined : input.trial,
    isCursorIgnored: isIgnored || undefined,
    hasRetriedIncomplete: checkpoint.hasRetriedIncomplete,
    refusedCursors: checkpoint.refusedCursors,
    uncountedRefusals: checkpoint.uncountedRefusals,
  };
  return {
    cursor: jump ? jump.cursor : isIgnored ? cursor : nextCursor,
    // There is no next page to resume at: a resumed crawl starts at the first page.
    checkpoint: end?.reason === 'cursor_unreadable' ? restartCheckpoint(checkpoint) : next,
    covered: isNewestFirst ? listCoverage(crawl, page, scanned, { at, end, into: jump?.into }) : undefined,
    end,
  };
}

/** Decides how a page ends its list, without regard to covered intervals. */
function decideListEnd(crawl: StoredCrawl, page: PageSummary, scan: OrderedScan, cursorsWork: boolean) {
  const { options, checkpoint, pages, cursor: sentCursor } = crawl;
  const { cursor, itemIds, positions, servedCount } = page;
  const kind = getKind(crawl.kind);
  const { since } = options;
  const isList = servedCount > 0 || cursor.type !== 'end';
  // A profile, or a tweet that neither shows nor counts replies.
  const isObject = kind.shape === 'object' || (!isList && page.replyCount === 0);
  const facts: PageFacts = {
    isPaged: kind.shape === 'paged list' || isObject,
    cursorsWork,
    sentCursor,
    cursor,
    servedCount: isList ? servedCount : itemIds.length,
    itemIds,
    isPastSince: since !== undefined && isPastTime(since, scan, positions),
    pages: pages + 1,
  };
  return decideEnd(facts, checkpoint.cycleDetector, options);
}

function matchInterval(
  end: ListEnd | undefined,
  scan: OrderedScan,
  { options: { since } }: StoredCrawl,
  { intervals, request, at: now }: PaginationInput,
): CoveredIntervalMatch | undefined {
  // A list that ends for a reason of its own needs no interval. A page limit counts beyond the interval only, and an
  // unreadable cursor does not matter where the interval covers what it leads to.
  if (end && end.reason !== 'max_pages' && end.reason !== 'cursor_unreadable') return undefined;
  return findCoveredInterval(scan, intervals, { since, request, now });
}

/** Whether the crawl is in that gap already or comes to it with the next page: then it goes on without a jump. */
const isVisited = (cursor: string, next: string | null, { cursor: sent, checkpoint }: StoredCrawl): boolean =>
  cursor === next || cursor === sent || checkpoint.cycleDetector.recentCursors.includes(digestText(cursor));

/** Returns the coverage that a page adds. @param into the interval above the gap to which the crawl jumps */
function listCoverage(
  { checkpoint, cursor }: StoredCrawl,
  page: PageSummary,
  scanned: ScanResult,
  { at, end, into }: { readonly at: number; readonly end: ListEnd | undefined; readonly into: number | undefined },
): CoverageUpdate | undefined {
  const { ending } = end ?? {};
  const { skippedDownTo, scan: before = startScan(cursor) } = checkpoint;
  const left = scanned.scan === 'unordered' && before !== 'unordered' ? 'out_of_order' : undefined;
  // A page with an unreadable cursor claims nothing, not even between its items.
  if (end?.reason === 'cursor_unreadable') return left && { spans: [], left };
  const bottom = ending === 'served' || ending === 'inferred' ? ending : undefined;
  const spans = listCoveredSpans(scanned, bottom);
  const isLast = page.cursor.value === null;
  const reread = findRereadRange(before, scanned, page.positions, { at, isLast, skippedDownTo });
  if (spans.length === 0 && left === undefined && reread === undefined) return undefined;
  return {
    spans,
    pageSpans: listCoveredSpans(scanPage(BELOW, page.positions, at), bottom),
    hasSkipped: skippedDownTo !== undefined,
    reread,
    into,
    left,
  };
}

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
 * Covered intervals (above) and windows of searches (search/window-crawl.ts) may change the end. Then
 * service/kinds/decide-end.ts says for each kind whether the crawl is `complete`, `capped` or `partial`; with rejected items it is
 * partial (invariant 5). The transaction of the page may change that end by stored evidence: service/kinds/decide-end.ts.
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
  const nextCursor = page.cursor.value;
  const emptyPages = servedCount === 0 ? detector.emptyPages + 1 : 0;
  const entries = servedCount === 0 ? null : digestItems(page.itemIds);
  const next = nextCursor === null ? null : digestText(nextCursor);
  const isPowerOfTwo = (page.pages & (page.pages - 1)) === 0;
  const after: CycleDetector = {
    firstPage: detector.firstPage ?? entries,
    lastPage: entries ?? detector.lastPage,
    recentCursors: next === null ? detector.recentCursors : [...detector.recentCursors, next].slice(-RECENT),
    olderCursor: isPowerOfTwo ? next : detector.olderCursor,
    emptyPages,
  };

  const limit: ListEnd | undefined =
    maxPages !== undefined && page.pages >= maxPages ? { reason: 'max_pages' } : undefined;
  return { detector: after, end: findEnd() };

  function findEnd(): ListEnd | undefined {
    if (page.cursor.type === 'unreadable') return page.isPastSince ? SINCE : { reason: 'cursor_unreadable' };
    const hasItemsOfCursor = sentCursor !== null && page.itemIds.length > 0;
    if (hasItemsOfCursor && entries === detector.lastPage) return { reason: 'cursor_ignored' };
    const isFirstAgain = hasItemsOfCursor && entries === detector.firstPage;
    if (next === null && !isFirstAgain) return { ending: page.isPaged || sentCursor !== null ? 'served' : 'one_page' };
    if (servedCount === 0) return nextCursor === sentCursor || emptyPages >= 2 ? { ending: 'inferred' } : limit;
    if (!page.cursorsWork) return { reason: 'cursor_ignored' };
    if (nextCursor === sentCursor) return { reason: 'cursor_repeated' };
    // Without a next cursor, this is the first page again.
    if (next === null || isFirstAgain) return { reason: 'cursor_cycle' };
    if (detector.recentCursors.includes(next) || next === detector.olderCursor) return { reason: 'cursor_cycle' };
    return page.isPastSince ? SINCE : limit;
  }
}

const SINCE: ListEnd = { ending: 'since' };
