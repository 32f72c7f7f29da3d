import { findBottom, type ItemPosition, type OrderedScan, type ScanSegment } from '#service/kinds/checkpoint.ts';
import type { ListPosition } from '#store/normalise/parse-page.ts';
import type { CoverageUpdate, CoveredSpan } from '#store/schema/commit-messages.ts';

/**
 * What may be claimed of a list in chronological order, as a pure function from page to page (invariant 5).
 *
 * A segment is a part of the list that was seen entry by entry. It claims the times strictly between its `oldest` and its
 * `newest` mark. Of those two instants it claims only the items that it saw, since others may share them.
 *
 * Services put single items out of order, such as pinned and reordered ones. So no single item is trusted:
 * - `oldest` is the newer one of the last two items: if either is in order, nothing unseen is newer than it;
 * - an item newer than `oldest` is an outlier and bounds nothing. With two in a row, or many on one page, the scan is `unordered` and
 *   claims nothing more;
 * - below a rejected entry a new segment begins, at the older one of its first two items;
 * - an item from the future or without a time is stored, and bounds nothing.
 */
const AT_TOP: ScanSegment = {
  isFromTop: true,
  newest: null,
  oldest: null,
  tail: [],
  outlier: null,
  pages: 0,
  items: 0,
};
/** A scan that begins in the middle of a list. */
export const BELOW: ScanSegment = { ...AT_TOP, isFromTop: false };

/** A scan from the list's first page, or from the middle of a list whose beginning was not scanned. */
export const startScan = (cursor: string | null): OrderedScan => (cursor === null ? AT_TOP : BELOW);

/** One in so many items of a page may be an outlier; one always may. */
const ITEMS_PER_OUTLIER = 10;

export interface ScanResult {
  readonly scan: OrderedScan;
  /** Segments that ended on the page, at rejected entries. */
  readonly closed: readonly ScanSegment[];
}

/** Scans one more page. @param seenAt when the page was requested. */
export function scanPage(before: OrderedScan, places: readonly (ListPosition | null)[], seenAt: number): ScanResult {
  if (before === 'unordered') return UNORDERED;
  const closed: ScanSegment[] = [];
  let run: ScanSegment = { ...before, pages: before.pages + 1 };
  let outliers = 0;
  for (const place of places) {
    if (place === null) {
      // It may be pinned: its time is unknown.
      if (run.isFromTop && run.tail.length === 0) return UNORDERED;
      closed.push(run);
      run = { ...BELOW, pages: 1 };
      continue;
    }
    run = { ...run, items: run.items + 1 };
    if (place.at !== null && place.at <= seenAt) {
      const mark: ItemPosition = { id: place.id, at: place.at };
      if (run.oldest === null || mark.at <= run.oldest.at) run = push(run, mark);
      else if (run.outlier !== null && hasClaim(run)) return UNORDERED;
      // Pinned items at the top of a list.
      else if (run.outlier !== null)
        run = push(push({ ...run, newest: null, oldest: null, tail: [] }, run.outlier), mark);
      else {
        run = { ...run, outlier: mark };
        outliers++;
      }
    }
  }
  if (outliers > Math.max(1, places.length / ITEMS_PER_OUTLIER)) return UNORDERED;
  return { scan: run, closed };
}

export const UNORDERED: ScanResult = { scan: 'unordered', closed: [] };

function push(run: ScanSegment, mark: ItemPosition): ScanSegment {
  const tail = [...run.tail.slice(-1), mark];
  const [last, next] = tail;
  const [older, newer] = next === undefined ? [last!, last!] : last!.at < next.at ? [last!, next] : [next, last!];
  const started = tail.length === 2;
  return {
    ...run,
    newest: run.isFromTop ? newerOf(run.newest, mark) : (run.newest ?? (started ? older : null)),
    oldest: started && (run.oldest === null || newer.at < run.oldest.at) ? newer : run.oldest,
    tail,
    outlier: null,
  };
}

const newerOf = (a: ItemPosition | null, b: ItemPosition): ItemPosition => (a === null || b.at > a.at ? b : a);

type Claiming = ScanSegment & { readonly newest: ItemPosition; readonly oldest: ItemPosition };

/** Whether there is an instant between its bounds. */
export const hasClaim = (run: ScanSegment): run is Claiming =>
  run.newest !== null && run.oldest !== null && run.oldest.at < run.newest.at;

/** The spans that a page covers, newest first. The open segment comes last, down to the list's end if it ended. */
export function listCoveredSpans({ scan, closed }: ScanResult, bottom?: CoveredSpan['bottom']): CoveredSpan[] {
  const above = closed.filter(hasClaim).map((run): CoveredSpan => ({ ...spanOf(run), below: 'rejected_items' }));
  if (scan === 'unordered') return above;
  const { newest, tail, pages, items } = scan;
  const [oldest] = tail.toSorted((a, b) => a.at - b.at);
  if (bottom !== undefined && newest !== null && oldest) return [...above, { newest, oldest, bottom, pages, items }];
  return hasClaim(scan) ? [...above, spanOf(scan)] : above;
}

const spanOf = ({ newest, oldest, pages, items }: Claiming): CoveredSpan => ({ newest, oldest, pages, items });

/** Where a page is in its list. */
interface PagePlace {
  /** When the page was requested. */
  readonly at: number;
  /** No page follows. */
  readonly isLast: boolean;
  /** The oldest time of the interval that the crawl skipped. */
  readonly skippedDownTo: number | undefined;
}

/**
 * The times between which a page shows all of its list, together with the page before it in the same scan; both ends are
 * open. The first page with an order that can be trusted shows all newer items. While `skippedDownTo` is the scan's only
 * bound, the page alone counts. Undefined where an entry was rejected or the list is unordered.
 */
export function findRereadRange(
  before: OrderedScan,
  { scan, closed }: ScanResult,
  places: readonly (ListPosition | null)[],
  { at, isLast, skippedDownTo }: PagePlace,
): CoverageUpdate['reread'] {
  if (before === 'unordered' || scan === 'unordered' || closed.length > 0) return undefined;
  const isTop = scan.isFromTop && skippedDownTo === undefined && !showsTop(before) && (isLast || showsTop(scan));
  const above = isTop ? findBottom(scan) : scan.oldest?.at;
  const bound = before.oldest?.at ?? scan.newest?.at;
  const below = isTop
    ? at
    : bound === undefined || bound !== skippedDownTo
      ? bound
      : places.find((place) => place?.at != null && place.at <= bound)?.at;
  return above !== undefined && below != null && above < below ? { above, below } : undefined;
}

/** Whether the newest mark is that of the list. With pinned items only, or an outlier above it, it may not be. */
const showsTop = (run: ScanSegment): boolean =>
  run.isFromTop && hasClaim(run) && (run.outlier === null || run.outlier.at <= run.newest.at);

/** The scan after its spans were reported. */
export const markReported = (scan: OrderedScan): OrderedScan =>
  scan !== 'unordered' && hasClaim(scan) ? { ...scan, pages: 0, items: 0 } : scan;

/** Whether a list went past a time. On an unordered page, only if all items are older. */
export function isPastTime(since: number, scan: OrderedScan, places: readonly (ListPosition | null)[]): boolean {
  if (scan !== 'unordered') return scan.oldest !== null && scan.oldest.at < since;
  const times = places.flatMap((place) => place?.at ?? []);
  return times.length > 1 && times.every((at) => at < since);
}
