import { ACCOUNT_ERASED, type CrawlEnd, decideEndState, LIST_CLOSED, NO_TWEETS } from './end-states.ts';

/**
 * The final end of a crawl, as pure functions. crawl/page/decide-page.ts decides the end that a page shows. Whether that end
 * holds depends on stored rows, including those of the page and of other crawls. Its commit and a rebuild therefore read the
 * facts in their transaction, and decide by this table (invariants 1, 5 and 7).
 *
 *   the crawl is about a forgotten account                         -> cancelled (erased), whatever the page shows
 *   a 404 for something stored, without a control request          -> no end
 *   a list that shows nothing, although it is expected to          -> capped (list_closed)
 *   a first list that shows a small part of the owner's count, or a
 *   list that lacks stored edges and is no evidence of their end   -> capped (list_cut_short)
 */

/** The stored facts about a crawl that a page ends. */
export interface EndFacts {
  readonly isOfForgotten?: boolean;
  /** For an end by a 404 for something stored: the number of other targets with a 404 since the last page of the endpoint. */
  readonly uncheckedCount?: number | undefined;
  /** For a list that the page ends successfully. */
  readonly list?: ListFacts | undefined;
}

export interface ListFacts {
  /** The number of its items. */
  readonly shown: number;
  /** By stored items or its owner's count. */
  readonly isExpectedToShow: boolean;
  /** For followers and followed accounts. */
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

/** Returns the final end of a crawl; undefined if the page shows none, or if a control request comes first. */
export function decideFinalEnd(kind: string, end: CrawlEnd | undefined, facts: EndFacts): CrawlEnd | undefined {
  const { isOfForgotten, uncheckedCount, list } = facts;
  if (isOfForgotten) return ACCOUNT_ERASED;
  if (end === undefined || needsControl(uncheckedCount)) return undefined;
  const reason = list && findShortfall(list);
  return reason === undefined ? end : { ...end, state: decideEndState(kind, end.ending, reason), reason };
}

/** The number of 404s of an endpoint since its last page that count as evidence without a control request. */
const MAX_UNCHECKED = 3;

/** Whether a control request has to succeed before a 404 counts as evidence. */
export const needsControl = (uncheckedCount = 0): boolean => uncheckedCount >= MAX_UNCHECKED;

/** Why a list is no evidence about items that it does not show (spec, Endpoint rules 6); undefined if it is evidence. */
function findShortfall({ shown, isExpectedToShow, edges }: ListFacts): string | undefined {
  if (shown === 0 && isExpectedToShow) return LIST_CLOSED;
  return edges && isCutShort(shown, edges) ? 'list_cut_short' : undefined;
}

function isCutShort(shown: number, { seen, lacked, count, baseline }: EdgeFacts): boolean {
  if (!baseline && count !== null && isSmallPart(shown, count)) return true;
  if (count === null) return lacked > 0;
  // An edge that another list has shown in the meantime has not ended, but a list without it can be cut short.
  if (shown === seen + lacked) return false;
  // Without an accepted list, the stored edges are the baseline.
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

/** Any list may hide fewer accounts than this. */
const FEW = 20;

/** Whether a first list shows less than half of the count. Few accounts have so many hidden followers. */
const isSmallPart = (shown: number, count: number): boolean => count - shown >= FEW && 2 * shown < count;

/** A closed timeline, after a re-check of one of its stored tweets. */
export interface ClosedTimeline {
  readonly kind: string;
  readonly ending: string | null;
  readonly pages: number;
  /** The number of its re-checks that have not found their tweet deleted. */
  readonly openRechecks: number;
}

/**
 * Whether a closed timeline has no tweets: the service ended it, and has none of the stored ones. A list of replies must have
 * ended by a 404, as its only response (decision 29).
 */
export const hasNoTweets = ({ kind, ending, pages, openRechecks }: ClosedTimeline): boolean =>
  openRechecks === 0 && ending === NO_TWEETS.ending && (kind === 'timeline' || pages === 1);
