import { MINUTE } from '../../clock.ts';
import { readNextCursor, type WirePage } from '../../contract/pages.ts';
import type { NormalisedPage } from '../../normalise/pages.ts';
import type { CrawlEnd } from '../../store/schema/messages.ts';
import { restartCheckpoint, type CrawlCheckpoint } from './crawl-checkpoint.ts';
import { digestText } from './end-of-list.ts';

/** Cursors that the service refuses (400, 404) or has forgotten: the crawl begins again from the top, a few times. */

/** How often a crawl begins again for that. */
const MOST_RESTARTS = 2;
/** A cursor that was used at once was not forgotten: what its page shows is believed. */
const STALE = MINUTE;

/** The crawl from its first page on; it ends when a cursor is refused for the second time, or too many are. */
export function restartFromTop(
  cursor: string,
  memory: CrawlCheckpoint,
): { memory: CrawlCheckpoint; end: CrawlEnd | undefined } {
  const refused = [...(memory.refused ?? []), digestText(cursor)];
  const counted = refused.slice(memory.forgiven ?? 0);
  const isOver = counted.length > MOST_RESTARTS || new Set(counted).size < counted.length;
  // Whoever resumes it does so because he expects another answer.
  const forgiven = isOver ? refused.length : memory.forgiven;
  return {
    memory: restartCheckpoint(memory, { refused, forgiven }),
    end: isOver ? { state: 'partial', reason: 'cursor_refused' } : undefined,
  };
}

/**
 * Whether an answer shows that a cursor from long ago, or from another crawl, leads nowhere any more: an empty page that
 * ends the list, the first page again, or a page from above the place where the list was left.
 */
export function isStaleCursor(
  cursor: string | null,
  { passport, jumped, firstIds = [], walk }: CrawlCheckpoint,
  { itemIds, positions }: NormalisedPage,
  { items, unexpectedEntries, cursor: next }: WirePage,
  at: number,
): boolean {
  if (cursor === null || !passport) return false;
  if (!jumped && at - passport.issuedAt <= STALE) return false;
  if (items.length + unexpectedEntries.length === 0) return next.is === 'end' || readNextCursor(next) === cursor;
  const again = firstIds.filter((id) => itemIds.includes(id)).length;
  if (again > 0 && again >= Math.min(2, firstIds.length)) return true;
  const bottom = walk === undefined || walk === 'lost' ? undefined : walk.oldest?.at;
  const times = positions.flatMap((place) => place?.at ?? []);
  return bottom !== undefined && times.length > 0 && times.every((time) => time > bottom);
}
