import { DAY } from '../../base/clock.ts';
import type { PageCursor } from '../../service/contract/read-cursor.ts';
import type { CrawlCheckpoint } from '../../service/kinds/checkpoint.ts';
import type { PageSummary } from '../../store/normalise/parse-page.ts';
import type { EndpointFinding } from '../../store/schema/commit-messages.ts';
import { digestItems, digestText } from './cursor-origin.ts';
import { isFirstPageAgain } from './stale-cursor.ts';

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
  if (learnt && learnt.outcome !== 'followed') return { cursor: { type: 'unreadable' }, trial: undefined, learnt };
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
  if (chosen.value === null || isUseless(chosen.name, facts)) return { ...none, cursor: { type: 'unreadable' } };
  const trial = { name: chosen.name, ids: page.itemIds };
  return { cursor: { type: 'next', value: chosen.value }, trial, learnt };
}

function judgeTrial(
  { itemIds }: PageSummary,
  before: readonly string[],
  { firstIds = [], cycleDetector }: CrawlCheckpoint,
): HintOutcome {
  if (itemIds.length > 0 && digestItems(itemIds) === cycleDetector.firstPage) return 'first_page';
  const known = new Set(before);
  if (itemIds.every((id) => known.has(id))) return 'none';
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
