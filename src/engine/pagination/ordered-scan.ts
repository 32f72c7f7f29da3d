import type { ListPosition } from '../../normalise/pages.ts';
import type { Covered, CoveredSpan, Mark } from '../../store/schema/messages.ts';

/**
 * What may be claimed of a list in order of time, as a pure function from page to page (invariant 5).
 *
 * A run is a stretch of the list that was seen entry by entry. It claims the times strictly between its `oldest` and
 * its `newest` mark: of those instants themselves only the items it saw, since others may share them (ties stay open).
 *
 * Services put single items out of their place: pins, and what was reordered. So no single item is believed:
 * - `oldest` is the newer one of the last two items: if either is in its place, nothing unseen is newer than it;
 * - an item newer than `oldest` is out of its place, and bounds nothing. Two of them in a row, or many on one page, and
 *   the list is not in order: the walk is `lost`, and claims nothing more;
 * - below an entry that was set aside a new run begins, at the older one of its first two items;
 * - an item from the future bounds nothing, nor does one without a time: both are stored, and that is all.
 */
export interface ScanSegment {
  /** It began with the list's first entry. */
  readonly fromTop: boolean;
  readonly newest: Mark | null;
  readonly oldest: Mark | null;
  /** The last two items in their place, the later one last. */
  readonly tail: readonly Mark[];
  /** The last item, if it was out of its place. */
  readonly apart: Mark | null;
  /** Pages and items that no span has told of yet. */
  readonly pages: number;
  readonly items: number;
}

export type OrderedScan = ScanSegment | 'lost';

const AT_TOP: ScanSegment = { fromTop: true, newest: null, oldest: null, tail: [], apart: null, pages: 0, items: 0 };
const BELOW: ScanSegment = { ...AT_TOP, fromTop: false };

/** A walk that begins with the list's first page, or in the middle of a list whose beginning was not watched. */
export const startScan = (cursor: string | null): OrderedScan => (cursor === null ? AT_TOP : BELOW);

/** One in so many items of a page may be out of its place; one always may. */
const SELDOM = 10;

export interface ScanResult {
  readonly scan: OrderedScan;
  /** Runs that ended on the page, at entries that were set aside. */
  readonly closed: readonly ScanSegment[];
}

/** Walks one page further. @param seenAt when the page was asked for. */
export function scanPage(before: OrderedScan, places: readonly (ListPosition | null)[], seenAt: number): ScanResult {
  if (before === 'lost') return LOST;
  const closed: ScanSegment[] = [];
  let run: ScanSegment = { ...before, pages: before.pages + 1 };
  let outOfPlace = 0;
  for (const place of places) {
    if (place === null) {
      // It may be pinned, and belong anywhere.
      if (run.fromTop && run.tail.length === 0) return LOST;
      closed.push(run);
      run = { ...BELOW, pages: 1 };
      continue;
    }
    run = { ...run, items: run.items + 1 };
    if (place.at !== null && place.at <= seenAt) {
      const mark: Mark = { id: place.id, at: place.at };
      if (run.oldest === null || mark.at <= run.oldest.at) run = push(run, mark);
      else if (run.apart !== null && hasClaim(run)) return LOST;
      // Pins on top of a list.
      else if (run.apart !== null) run = push(push({ ...run, newest: null, oldest: null, tail: [] }, run.apart), mark);
      else {
        run = { ...run, apart: mark };
        outOfPlace++;
      }
    }
  }
  if (outOfPlace > Math.max(1, places.length / SELDOM)) return LOST;
  return { scan: run, closed };
}

const LOST: ScanResult = { scan: 'lost', closed: [] };

function push(run: ScanSegment, mark: Mark): ScanSegment {
  const tail = [...run.tail.slice(-1), mark];
  const [last, next] = tail;
  const [older, newer] = next === undefined ? [last!, last!] : last!.at < next.at ? [last!, next] : [next, last!];
  const started = tail.length === 2;
  return {
    ...run,
    newest: run.fromTop ? newerOf(run.newest, mark) : (run.newest ?? (started ? older : null)),
    oldest: started && (run.oldest === null || newer.at < run.oldest.at) ? newer : run.oldest,
    tail,
    apart: null,
  };
}

const newerOf = (a: Mark | null, b: Mark): Mark => (a === null || b.at > a.at ? b : a);

type Claiming = ScanSegment & { readonly newest: Mark; readonly oldest: Mark };

/** Whether there is any instant between its bounds. */
export const hasClaim = (run: ScanSegment): run is Claiming =>
  run.newest !== null && run.oldest !== null && run.oldest.at < run.newest.at;

/** What a page shows without a gap, newest first; the run under way comes last, down to the list's end if it ended. */
export function listCoveredSpans({ scan, closed }: ScanResult, bottom?: CoveredSpan['bottom']): CoveredSpan[] {
  const above = closed.filter(hasClaim).map((run): CoveredSpan => ({ ...spanOf(run), below: 'rejected_items' }));
  if (scan === 'lost') return above;
  const { newest, tail, pages, items } = scan;
  const [oldest] = tail.toSorted((a, b) => a.at - b.at);
  if (bottom !== undefined && newest !== null && oldest) return [...above, { newest, oldest, bottom, pages, items }];
  return hasClaim(scan) ? [...above, spanOf(scan)] : above;
}

const spanOf = ({ newest, oldest, pages, items }: Claiming): CoveredSpan => ({ newest, oldest, pages, items });

/**
 * The times between which a page showed everything that its list has, together with the page before it in the same walk.
 * Both ends are open. As long as the walk has no other bound than the one it took over from another's, it is the page
 * alone. Undefined where an entry was set aside, or the list is out of order.
 */
export function findRereadRange(
  before: OrderedScan,
  { scan, closed }: ScanResult,
  places: readonly (ListPosition | null)[],
  tookOver?: number,
): Covered['reread'] {
  if (before === 'lost' || scan === 'lost' || closed.length > 0 || scan.oldest === null) return undefined;
  const bound = before.oldest?.at ?? scan.newest?.at;
  const below =
    bound === undefined || bound !== tookOver
      ? bound
      : places.find((place) => place?.at != null && place.at <= bound)?.at;
  return below != null && scan.oldest.at < below ? { above: scan.oldest.at, below } : undefined;
}

/** The walk, once its spans have been told. */
export const markReported = (walk: OrderedScan): OrderedScan =>
  walk !== 'lost' && hasClaim(walk) ? { ...walk, pages: 0, items: 0 } : walk;

/** Whether a list went past a time: on a page out of order only if all of it is older. */
export function isPastTime(since: number, walk: OrderedScan, places: readonly (ListPosition | null)[]): boolean {
  if (walk !== 'lost') return walk.oldest !== null && walk.oldest.at < since;
  const times = places.flatMap((place) => place?.at ?? []);
  return times.length > 1 && times.every((at) => at < since);
}
