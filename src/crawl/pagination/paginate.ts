import { readNextCursor } from '../../service/contract/pages.ts';
import type { CrawlCheckpoint } from '../../service/kinds/checkpoint.ts';
import type { ListEnd } from '../../service/kinds/end-states.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { PageSummary } from '../../store/normalise/parse-page.ts';
import type { CoverageUpdate } from '../../store/schema/messages.ts';
import type { CoveredInterval, StoredCrawl } from '../../store/schema/query-results.ts';
import { type CursorRequest, digestText } from './cursor-origin.ts';
import { decideEnd, type PageFacts } from './end-of-list.ts';
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
} from './ordered-scan.ts';
import { restartCheckpoint } from './stale-cursor.ts';

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
  const kind = getKind(crawl.kind);
  const { options, checkpoint } = crawl;
  const { request, at, intervals, cursorsWork, listDigest } = input;
  const { itemIds, positions, servedCount } = page;
  const { since } = options;
  const before = checkpoint.scan ?? startScan(crawl.cursor);
  const scanned: ScanResult = kind.isNewestFirst ? scanPage(before, positions, at) : { scan: 'unordered', closed: [] };

  const nextCursor = readNextCursor(page.cursor);
  const isList = servedCount > 0 || page.cursor.type !== 'end';
  // A profile, or a tweet that neither shows nor counts replies.
  const isObject = kind.shape === 'object' || (!isList && page.replyCount === 0);
  const pages = crawl.pages + 1;
  const listEnd = decideEnd(
    {
      isPaged: kind.shape === 'paged list' || isObject,
      cursorsWork,
      sentCursor: crawl.cursor,
      cursor: page.cursor,
      servedCount: isList ? servedCount : itemIds.length,
      itemIds,
      isPastSince: since !== undefined && isPastTime(since, scanned.scan, positions),
      pages,
    },
    checkpoint.cycleDetector,
    options,
  );

  const match = matchInterval();
  const jump = match?.next === 'jump' && listEnd.end === undefined && !isVisited(match.cursor) ? match : undefined;
  const target = match?.next === 'end' ? match : jump;
  const hasSkippedRejects = checkpoint.hasSkippedRejects || (target && !target.isWhole) || undefined;
  // An end that joins an inferred end is inferred, too.
  const end: ListEnd | undefined =
    match?.next === 'end' ? { ending: match.isInferred ? 'joined_inferred' : 'joined' } : listEnd.end;
  // There is no next page to resume at: a resumed crawl starts at the first page.
  const isStuck = end?.reason === 'cursor_unreadable';
  const origin = nextCursor === null ? null : { ...request, issuedAt: at };
  // The page at this cursor was never shown: a resumed crawl asks for it again.
  const isIgnored = end?.reason === 'cursor_ignored' && crawl.cursor !== null;
  return {
    cursor: jump ? jump.cursor : isIgnored ? crawl.cursor : nextCursor,
    checkpoint: isStuck
      ? restartCheckpoint(checkpoint)
      : {
          cycleDetector: listEnd.detector,
          scan: kind.isNewestFirst ? markReported(jump?.scan ?? scanned.scan) : undefined,
          cursorOrigin: jump?.cursorOrigin ?? (isIgnored ? checkpoint.cursorOrigin : origin),
          firstIds: crawl.cursor === null ? itemIds.slice(0, FIRST_IDS) : checkpoint.firstIds,
          hasInheritedCursor: jump && true,
          skippedDownTo: jump?.into ?? checkpoint.skippedDownTo,
          listDigest,
          hasSkippedRejects,
          // After a jump, the next request sends the cursor of another crawl.
          hint: jump ? undefined : input.trial,
          isCursorIgnored: isIgnored || undefined,
          hasRetriedIncomplete: checkpoint.hasRetriedIncomplete,
          refusedCursors: checkpoint.refusedCursors,
          uncountedRefusals: checkpoint.uncountedRefusals,
        },
    covered: kind.isNewestFirst ? listCoverage() : undefined,
    end,
  };

  /** Whether the crawl is in that gap already or comes to it with the next page: then it goes on without a jump. */
  function isVisited(cursor: string): boolean {
    return (
      cursor === nextCursor ||
      cursor === crawl.cursor ||
      checkpoint.cycleDetector.recentCursors.includes(digestText(cursor))
    );
  }

  function matchInterval(): CoveredIntervalMatch | undefined {
    // A list that ends for a reason of its own needs no interval. A page limit counts beyond the interval only, and an
    // unreadable cursor does not matter where the interval covers what it leads to.
    const { end } = listEnd;
    if (end && end.reason !== 'max_pages' && end.reason !== 'cursor_unreadable') return undefined;
    return findCoveredInterval(scanned.scan, intervals, { since, request, now: at });
  }

  function listCoverage(): CoverageUpdate | undefined {
    const { ending } = end ?? {};
    const left = scanned.scan === 'unordered' && before !== 'unordered' ? 'out_of_order' : undefined;
    // A page with an unreadable cursor claims nothing, not even between its items.
    if (isStuck) return left && { spans: [], left };
    const bottom = ending === 'served' || ending === 'inferred' ? ending : undefined;
    const spans = listCoveredSpans(scanned, bottom);
    const { skippedDownTo } = checkpoint;
    const reread = findRereadRange(before, scanned, positions, { at, isLast: nextCursor === null, skippedDownTo });
    if (spans.length === 0 && left === undefined && reread === undefined) return undefined;
    return {
      spans,
      pageSpans: listCoveredSpans(scanPage(BELOW, positions, at), bottom),
      hasSkipped: skippedDownTo !== undefined,
      reread,
      into: jump?.into,
      left,
    };
  }
}
