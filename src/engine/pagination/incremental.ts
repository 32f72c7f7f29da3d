import { DAY } from '../../clock.ts';
import type { KnownInterval } from '../../store/coverage/intervals.ts';
import { parseCheckpoint } from './crawl-checkpoint.ts';
import { type CursorRequest, isIssuedFor, type CursorOrigin } from './cursor-origin.ts';
import { hasClaim, type ScanSegment, type OrderedScan } from './ordered-scan.ts';

/** For how long the cursor of another crawl is trusted to lead on where that one stopped. */
const CURSOR_LIFE = 7 * DAY;

/**
 * Below is nothing that is wanted and not stored; `isWhole` is false where items were set aside on the way, `isInferred`
 * is true where only an inferred end says so.
 */
export interface CoveredEnd {
  readonly next: 'end';
  readonly isWhole: boolean;
  readonly isInferred: boolean;
}

/** What a run found when it reached into an interval that is known to be complete. */
export type CoveredIntervalMatch =
  | CoveredEnd
  /** There is a gap below, and a cursor that leads into it; `isWhole` as above. */
  | {
      readonly next: 'jump';
      readonly isWhole: boolean;
      readonly cursor: string;
      readonly walk: ScanSegment;
      readonly passport: CursorOrigin;
      readonly into: number;
    }
  /** There is a gap below, and no way to it but through what is known. */
  | { readonly next: 'walk' };

export interface IncrementalQuery {
  readonly intervals: () => readonly KnownInterval[];
  readonly since: number | undefined;
  readonly request: CursorRequest;
  readonly now: number;
}

const floorOf = ({ bottom, oldestAt }: KnownInterval): number => (bottom === null ? oldestAt : -Infinity);

/**
 * Incremental crawls stop when they join a complete interval (invariant 5): when the run reaches below its newest item, and
 * not just to that item, whose instant may hold others. Undefined when the run did not reach into anything known.
 */
export function findCoveredInterval(
  walk: OrderedScan,
  { intervals, since, request, now }: IncrementalQuery,
): CoveredIntervalMatch | undefined {
  if (walk === 'lost' || !hasClaim(walk)) return undefined;
  const bottomOfRun = walk.oldest.at;
  const all = intervals();
  const reached = all.find((each) => each.newestAt > bottomOfRun && floorOf(each) < bottomOfRun);
  if (reached === undefined) return undefined;
  let at = reached;
  let isWhole = true;
  for (;;) {
    const { bottom, oldestAt, gap } = at;
    const isPastSince = since !== undefined && oldestAt < since;
    if (isPastSince || bottom !== null)
      return { next: 'end', isWhole, isInferred: !isPastSince && bottom === 'inferred' };
    // Asking again would set the same items aside: what is below them is what matters.
    const below = gap?.reason === 'rejected_items' ? nextBelow(all, oldestAt) : undefined;
    if (below === undefined) break;
    isWhole = false;
    at = below;
  }
  const into = cursorInto(at, request, now);
  return into ? { next: 'jump', isWhole, ...into } : { next: 'walk' };
}

const nextBelow = (known: readonly KnownInterval[], at: number): KnownInterval | undefined =>
  known.filter(({ newestAt }) => newestAt <= at).toSorted((a, b) => b.newestAt - a.newestAt)[0];

/** Whether a crawl that joins an interval can go on in the gap below it, without walking through what is known. */
export const hasCursorBelow = (interval: KnownInterval, request: CursorRequest, now: number): boolean =>
  cursorInto(interval, request, now) !== undefined;

/** The cursor of the crawl that stopped below an interval, if it still stands there. */
function cursorInto({ oldestAt, gap }: KnownInterval, request: CursorRequest, now: number) {
  if (gap === null || gap.cursor === null) return undefined;
  const { walk, passport } = parseCheckpoint(gap.guard);
  if (walk === undefined || walk === 'lost' || walk.oldest?.at !== oldestAt) return undefined;
  if (!passport || !isIssuedFor(passport, request) || now - passport.issuedAt > CURSOR_LIFE) return undefined;
  return { cursor: gap.cursor, walk, passport, into: oldestAt };
}
