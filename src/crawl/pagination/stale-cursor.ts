import { MINUTE } from '../../base/clock.ts';
import { readNextCursor } from '../../service/contract/wire-page.ts';
import { type CrawlCheckpoint, NEW_CHECKPOINT } from '../../service/kinds/checkpoint.ts';
import { createPartialEnd, type CrawlEnd } from '../../service/kinds/end-states.ts';
import type { PageSummary } from '../../store/normalise/parse-page.ts';
import { digestText } from './cursor-origin.ts';

/** A crawl whose cursor the service refuses (400, 404) or has forgotten restarts from the top, a few times. */

const MAX_RESTARTS = 2;
/** A cursor that is younger than this is not stale: its page is believed. */
const STALE_AGE = MINUTE;

/** The checkpoint of a crawl that restarts at its first page. */
export const restartCheckpoint = (
  { isHandleVerified, refusedCursors, uncountedRefusals }: CrawlCheckpoint,
  more: Partial<CrawlCheckpoint> = {},
): CrawlCheckpoint => ({
  ...NEW_CHECKPOINT,
  isHandleVerified,
  refusedCursors,
  uncountedRefusals,
  ...more,
});

/** The checkpoint of a restarted crawl; `end` if a cursor was refused twice, or too many were. */
export function restartFromTop(
  cursor: string,
  checkpoint: CrawlCheckpoint,
): { readonly checkpoint: CrawlCheckpoint; readonly end: CrawlEnd | undefined } {
  const refusedCursors = [...(checkpoint.refusedCursors ?? []), digestText(cursor)];
  const counted = refusedCursors.slice(checkpoint.uncountedRefusals ?? 0);
  const isOver = counted.length > MAX_RESTARTS || new Set(counted).size < counted.length;
  // A user who resumes it expects another answer.
  const uncountedRefusals = isOver ? refusedCursors.length : checkpoint.uncountedRefusals;
  return {
    checkpoint: restartCheckpoint(checkpoint, { refusedCursors, uncountedRefusals }),
    end: isOver ? createPartialEnd('cursor_refused') : undefined,
  };
}

/**
 * Whether a page repeats the first ids of the list, some of which may have changed. A single one of several is not enough: it
 * may be pinned, or moved down by an item that was added.
 * @param most the largest number of repetitions that may be required
 */
export function isFirstPageAgain(itemIds: readonly string[], firstIds: readonly string[], most = Infinity): boolean {
  const repeated = firstIds.filter((id) => itemIds.includes(id)).length;
  return repeated > 0 && repeated >= Math.min(2, firstIds.length, most);
}

/**
 * Whether a page shows that a cursor from long ago, or of another crawl, leads nowhere any more: it is empty and ends the
 * list, it is the first page again, or it lies above the place where the crawl stopped.
 */
export function isStaleCursor(
  cursor: string | null,
  { cursorOrigin, hasInheritedCursor, firstIds = [], scan }: CrawlCheckpoint,
  { itemIds, positions, servedCount, cursor: next }: PageSummary,
  at: number,
): boolean {
  if (cursor === null || !cursorOrigin) return false;
  if (!hasInheritedCursor && at - cursorOrigin.issuedAt <= STALE_AGE) return false;
  if (servedCount === 0) return next.type === 'end' || readNextCursor(next) === cursor;
  if (isFirstPageAgain(itemIds, firstIds)) return true;
  const bottom = scan === undefined || scan === 'unordered' ? undefined : scan.oldest?.at;
  const times = positions.flatMap((place) => place?.at ?? []);
  return bottom !== undefined && times.length > 0 && times.every((time) => time > bottom);
}
