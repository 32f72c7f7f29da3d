import { DAY } from '#base/clock.ts';
import { type CursorOrigin, type ScanSegment, type OrderedScan, parseCheckpoint } from '#service/kinds/checkpoint.ts';
import type { CoveredInterval } from '#store/schema/query-results.ts';
import { type CursorRequest, isIssuedFor } from './cursor-origin.ts';
import { hasClaim } from './ordered-scan.ts';

/** For how long the cursor of another crawl is trusted. */
const CURSOR_MAX_AGE = 7 * DAY;

/** What a crawl does when it reaches a covered interval. */
export type CoveredIntervalMatch =
  /**
   * All that is wanted below is stored. `isWhole`: nothing was rejected on the way. `isInferred`: only an inferred end
   * says so.
   */
  | { readonly next: 'end'; readonly isWhole: boolean; readonly isInferred: boolean }
  /** There is a gap below, and a cursor into it; `isWhole` as above. */
  | {
      readonly next: 'jump';
      readonly isWhole: boolean;
      readonly cursor: string;
      readonly scan: ScanSegment;
      readonly cursorOrigin: CursorOrigin;
      /** The time at which the interval above the gap ends. */
      readonly into: number;
    }
  /** There is a gap below, and the only way to it is through the interval. */
  | { readonly next: 'read' };

const floorOf = ({ listEnd: bottom, oldestAt }: CoveredInterval): number => (bottom === null ? oldestAt : -Infinity);

/**
 * Incremental crawls stop at a complete interval (invariant 5): when the scan reaches below its newest item, not just to
 * that item, whose instant may hold others. Undefined when the scan reached no interval.
 */
export function findCoveredInterval(
  scan: OrderedScan,
  intervals: readonly CoveredInterval[],
  { since, request, now }: { since: number | undefined; request: CursorRequest; now: number },
): CoveredIntervalMatch | undefined {
  if (scan === 'unordered' || !hasClaim(scan)) return undefined;
  const bottom = scan.oldest.at;
  const reached = intervals.find((each) => each.newestAt > bottom && floorOf(each) < bottom);
  if (reached === undefined) return undefined;
  let at = reached;
  let isWhole = true;
  for (;;) {
    const { listEnd: bottom, oldestAt, gap } = at;
    const isPastSince = since !== undefined && oldestAt < since;
    if (isPastSince || bottom !== null)
      return { next: 'end', isWhole, isInferred: !isPastSince && bottom === 'inferred' };
    // The same items would be rejected again: the crawl goes on below them.
    const below = gap?.reason === 'rejected_items' ? findNextBelow(intervals, oldestAt) : undefined;
    if (below === undefined) break;
    isWhole = false;
    at = below;
  }
  const into = findCursorBelow(at, request, now);
  return into ? { next: 'jump', isWhole, ...into } : { next: 'read' };
}

const findNextBelow = (intervals: readonly CoveredInterval[], at: number): CoveredInterval | undefined =>
  intervals.filter(({ newestAt }) => newestAt <= at).toSorted((a, b) => b.newestAt - a.newestAt)[0];

/** The cursor of the crawl that stopped below an interval, if it has not moved since: leads to the gap without reading. */
export function findCursorBelow({ oldestAt, gap }: CoveredInterval, request: CursorRequest, now: number) {
  if (gap === null || gap.cursor === null) return undefined;
  const { scan, cursorOrigin } = parseCheckpoint(gap.checkpoint);
  if (scan === undefined || scan === 'unordered' || scan.oldest?.at !== oldestAt) return undefined;
  if (!cursorOrigin || !isIssuedFor(cursorOrigin, request) || now - cursorOrigin.issuedAt > CURSOR_MAX_AGE)
    return undefined;
  return { cursor: gap.cursor, scan, cursorOrigin, into: oldestAt };
}
