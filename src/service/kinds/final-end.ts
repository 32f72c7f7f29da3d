import { ACCOUNT_ERASED, type CrawlEnd, decideEndState, LIST_CLOSED, NO_TWEETS } from './end-states.ts';

/**
 * The end of a crawl by what is stored, as pure functions. crawl/page/decide-page.ts decides the end that a page shows.
 * Whether that end holds depends on rows that are stored with the page, also by other crawls: so its commit and a rebuild
 * read the facts in their transaction, and decide by this table (invariants 1, 5 and 7).
 *
 *   the crawl is about a forgotten account                         -> cancelled (erased), whatever the page shows
 *   a 404 for something stored, without a control request          -> no end
 *   a list that shows nothing, although it is expected to          -> capped (list_closed)
 *   a list without an earlier one that shows a small part of the count,
 *   or one that lacks stored edges and is no evidence of their end -> capped (list_cut_short)
 */

/** What the store knows of a crawl that a page ends. */
export interface EndFacts {
  readonly isOfForgotten?: boolean;
  /** Of an end that rests on a 404 for something stored: the other targets with one since the last page of the endpoint. */
  readonly uncheckedCount?: number | undefined;
  /** Of a list that the page ends without a reason of its own. */
  readonly list?: ListFacts | undefined;
}

export interface ListFacts {
  /** The number of its items. */
  readonly shown: number;
  /** Items are stored, or its owner counts some. */
  readonly isExpectedToShow: boolean;
  /** Of followers and followed accounts. */
  readonly edges?: EdgeFacts | undefined;
}

export interface EdgeFacts {
  /** The numbers of edges that any list has shown since this one began, and of the other stored ones. */
  readonly seen: number;
  readonly lacked: number;
  /** The owner's count at the time of the list; null if it is unknown. */
  readonly count: number | null;
  /** The last list that was accepted as evidence. */
  readonly baseline: Pick<ComparedLists, 'baselineSize' | 'baselineCount'> | undefined;
}

/** The end of a crawl whose page shows one. Undefined if there is none. */
export function decideFinalEnd(kind: string, end: CrawlEnd | undefined, facts: EndFacts): CrawlEnd | undefined {
  const { isOfForgotten, uncheckedCount, list } = facts;
  if (isOfForgotten) return ACCOUNT_ERASED;
  if (end === undefined || needsControl(uncheckedCount)) return undefined;
  const reason = list && findShortfall(list);
  return reason === undefined ? end : { ...end, state: decideEndState(kind, end.ending, reason), reason };
}

/** How often a 404 of an endpoint counts as evidence since its last page, before a control request has to succeed. */
const MAX_UNCHECKED = 3;

/** Whether a control request has to succeed before a 404 counts as evidence. */
export const needsControl = (uncheckedCount = 0): boolean => uncheckedCount >= MAX_UNCHECKED;

/** Why a list is no evidence of what it does not show (spec, Endpoint rules 6); undefined if it is. */
function findShortfall({ shown, isExpectedToShow, edges }: ListFacts): string | undefined {
  if (shown === 0 && isExpectedToShow) return LIST_CLOSED;
  return edges && isCutShort(shown, edges) ? 'list_cut_short' : undefined;
}

function isCutShort(shown: number, { seen, lacked, count, baseline }: EdgeFacts): boolean {
  if (!baseline && count !== null && isSmallPart(shown, count)) return true;
  if (count === null) return lacked > 0;
  // An edge that another list has shown in the meantime has not ended, but a list without it can be cut short.
  if (shown === seen + lacked) return false;
  // Without an accepted list, the stored edges stand for it.
  return !isEvidence({ baselineSize: seen + lacked, baselineCount: count, ...baseline, count, shown });
}

/** A list of followers or followed accounts, and the last one that was accepted as evidence (decision 13). */
export interface ComparedLists {
  /** The accounts that the accepted list showed, without those whose edges have ended since. */
  readonly baselineSize: number;
  /** The owner's count at the time of each list. */
  readonly baselineCount: number;
  readonly count: number;
  readonly shown: number;
}

/** The share of the accepted list that may be missing beyond what the counts say. */
const TOLERANCE = 0.005;

/**
 * Whether edges that a list lacks are evidence: it shows no fewer accounts than the decrease of the owner's count explains,
 * but for one or 0.5 %. A size is never compared with a count, since counts contain accounts that lists hide.
 */
export const isEvidence = ({ baselineSize, baselineCount, count, shown }: ComparedLists): boolean =>
  baselineSize - shown <= baselineCount - count + Math.max(1, TOLERANCE * baselineSize);

/** Fewer accounts may be hidden from any list. */
const FEW = 20;

/** Whether a list, of which no earlier one is known, shows less than half of the count. Few accounts hide so many followers. */
const isSmallPart = (shown: number, count: number): boolean => count - shown >= FEW && 2 * shown < count;

/** A closed timeline, after the crawl of a stored tweet that was requested for it. */
export interface ClosedTimeline {
  readonly kind: string;
  readonly ending: string | null;
  readonly pages: number;
  /** The crawls of such tweets that have not found that the service does not have them. */
  readonly openRechecks: number;
}

/**
 * Whether a closed timeline has no tweets: the service ended it, and has none of the stored ones. Of replies, only a 404 ends
 * it, which is the only response (decision 29).
 */
export const hasNoTweets = ({ kind, ending, pages, openRechecks }: ClosedTimeline): boolean =>
  openRechecks === 0 && ending === NO_TWEETS.ending && (kind === 'timeline' || pages === 1);
