import { DAY, MINUTE } from '#base/clock.ts';
import { type PageCursor, UNREADABLE_CURSOR } from '#service/contract/read-cursor.ts';
import { type CrawlCheckpoint, NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import { createPartialEnd, type CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageSummary } from '#store/normalise/parse-page.ts';
import type { EndpointFinding } from '#store/schema/commit-messages.ts';
import { digestItems, digestText } from './cursor-origin.ts';

/**
 * Follows hints that a list goes on (invariant 4). A text is sent once as the cursor: if the next page has new ids, and is
 * not the first page again, the hint is a cursor; if not, or without a text, there is a cursor that cannot be read. That is
 * learnt for a day, per endpoint. A hint that leads two accounts back to the first page, on an endpoint whose documented
 * cursors work, is ignored from then on.
 */

/** How the request by a hint ended: `first_page` and `none` are of no use. */
export type HintOutcome = 'followed' | 'first_page' | 'none';

export const HINT = 'hint ';

export interface HintDecision {
  /** The cursor of the page, with the hint in its place. */
  readonly cursor: PageCursor;
  /** The hint that the next request tries. */
  readonly trial?: CrawlCheckpoint['hint'];
  /** What the page shows of the hint that led to it. */
  readonly learnt?: { readonly name: string; readonly outcome: HintOutcome } | undefined;
}

/** What the store knows of the endpoint, and of the crawl. */
export interface HintFacts {
  readonly account: string;
  readonly sentCursor: string | null;
  readonly findings: readonly EndpointFinding[];
  /** Whether a documented cursor of the endpoint was followed. */
  readonly cursorsWork: boolean;
  readonly at: number;
}

/** Decides on the hints of a page, and on the one that led to it. Pure. */
export function decideHints(page: PageSummary, checkpoint: CrawlCheckpoint, facts: HintFacts): HintDecision {
  const { hint, cycleDetector } = checkpoint;
  const learnt = hint && { name: hint.name, outcome: judgeTrial(page, hint.ids, checkpoint) };
  if (learnt && learnt.outcome !== 'followed') return { cursor: UNREADABLE_CURSOR, trial: undefined, learnt };
  const none = { cursor: page.cursor, trial: undefined, learnt };
  if (page.cursor.type !== 'end') return none;
  const isKnown = (value: string): boolean =>
    value === facts.sentCursor ||
    cycleDetector.recentCursors.includes(digestText(value)) ||
    cycleDetector.olderCursor === digestText(value);
  const open = page.hints.filter(({ name, value }) => !(value !== null && isKnown(value)) && !isIgnored(name, facts));
  const [first] = open;
  if (first === undefined) return none;
  const chosen = open.find(({ value }) => value !== null) ?? first;
  if (chosen.value === null || isUseless(chosen.name, facts)) return { ...none, cursor: UNREADABLE_CURSOR };
  const trial = { name: chosen.name, ids: page.itemIds };
  return { cursor: { type: 'next', value: chosen.value }, trial, learnt };
}

function judgeTrial(page: PageSummary, before: readonly string[], checkpoint: CrawlCheckpoint): HintOutcome {
  const { itemIds } = page;
  const { firstIds = [], cycleDetector } = checkpoint;
  if (itemIds.length > 0 && digestItems(itemIds) === cycleDetector.firstPage) return 'first_page';
  const known = new Set(before);
  if (itemIds.every((id) => known.has(id)) || isAbove(page, checkpoint)) return 'none';
  // One item of it may have been deleted since.
  return isFirstPageAgain(itemIds, firstIds, itemIds.length - 1) ? 'none' : 'followed';
}

const findingsOf = (name: string, { findings }: HintFacts): readonly EndpointFinding[] =>
  findings.filter(({ finding }) => finding === `${HINT}${name}`);

/** Whether a hint led two accounts back to the first page, where documented cursors work. */
const isIgnored = (name: string, facts: HintFacts): boolean =>
  facts.cursorsWork && findingsOf(name, facts).filter(({ outcome }) => outcome === 'first_page').length >= 2;

/** Whether a request by a hint was of no use in the last day. A second account may still show that the hint means nothing. */
const isUseless = (name: string, facts: HintFacts): boolean =>
  findingsOf(name, facts).some(
    ({ account, outcome, seenAt }) =>
      facts.at - seenAt < DAY && !(outcome === 'first_page' && facts.cursorsWork && account !== facts.account),
  );

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
function isFirstPageAgain(itemIds: readonly string[], firstIds: readonly string[], most = Infinity): boolean {
  const repeated = firstIds.filter((id) => itemIds.includes(id)).length;
  return repeated > 0 && repeated >= Math.min(2, firstIds.length, most);
}

/**
 * Whether a page shows that a cursor from long ago, or of another crawl, leads nowhere any more: it is empty and ends the
 * list, it is the first page again, or it lies above the place where the crawl stopped.
 */
export function isStaleCursor(
  cursor: string | null,
  checkpoint: CrawlCheckpoint,
  page: PageSummary,
  at: number,
): boolean {
  const { cursorOrigin, hasInheritedCursor, firstIds = [] } = checkpoint;
  const { itemIds, servedCount, cursor: next } = page;
  if (cursor === null || !cursorOrigin) return false;
  if (!hasInheritedCursor && at - cursorOrigin.issuedAt <= STALE_AGE) return false;
  if (servedCount === 0) return next.type === 'end' || next.value === cursor;
  return isFirstPageAgain(itemIds, firstIds) || isAbove(page, checkpoint);
}

/** Whether all items of a page are newer than those before it, in a list in chronological order. */
function isAbove({ positions }: PageSummary, { scan }: CrawlCheckpoint): boolean {
  const bottom = scan === undefined || scan === 'unordered' ? undefined : scan.oldest?.at;
  const times = positions.flatMap((place) => place?.at ?? []);
  return bottom !== undefined && times.length > 0 && times.every((time) => time > bottom);
}
