import { isKind, type Kind, kindTable, type TargetType } from './kinds.ts';

/**
 * The end state of a crawl, by its kind and its ending; exit codes, and whether a crawl can be resumed (invariants 4 and 5).
 * docs/completeness.md has the same table.
 *
 * - `complete`: the service ended a list that its specification pages, or answered with a single object, and nothing was
 *   rejected.
 * - `capped`: all that the endpoint shows is stored, and nothing says whether there is more. More may exist.
 * - `partial`: there is more, or something could not be stored.
 */

/** What ended a list. */
export type Ending = 'served' | 'one_page' | 'inferred' | 'since' | 'joined' | 'joined_inferred' | 'halved';

/** Why a crawl is partial. */
type PartialReason =
  | `cursor_${'unreadable' | 'ignored' | 'repeated' | 'cycle' | 'refused'}`
  | `max_${'pages' | 'requests'}`
  | 'rejected_items'
  | 'incomplete_response'
  | 'saturated';

/** The end of a crawl. */
export interface CrawlEnd {
  readonly state: 'complete' | 'capped' | 'partial' | 'failed' | 'cancelled';
  readonly reason?: string | undefined;
  readonly ending?: Ending | undefined;
  readonly error?: string | undefined;
  /** The crawl's handle as the service spells it. */
  readonly handle?: string | undefined;
}

/** The endings that show all that was requested, by the shape of the endpoint. After any other one, more may exist. */
const COMPLETE_ENDINGS: Readonly<Record<Kind['shape'], readonly Ending[]>> = {
  object: ['served'],
  'object with unpaged list': ['served'],
  // A list in chronological order that went past `--since` was read as far as requested.
  'paged list': ['served', 'since', 'joined'],
  'unpaged list': [],
};

/** Reasons that decide alone. With 404 the service itself says that there are no tweets, or that the target is gone. */
const REASONS: Readonly<Record<string, 'complete' | 'capped'>> = {
  no_tweets: 'complete',
  deleted: 'complete',
  unavailable: 'complete',
  seen_lately: 'complete',
  list_closed: 'capped',
  list_cut_short: 'capped',
};

/** The state of a crawl that reached its end without rejected items. */
export function decideEndState(kind: string, ending: Ending | undefined, reason?: string): 'complete' | 'capped' {
  if (reason !== undefined && REASONS[reason] !== undefined) return REASONS[reason];
  const endings: readonly (Ending | undefined)[] = isKind(kind) ? COMPLETE_ENDINGS[kindTable[kind].shape] : [];
  return endings.includes(ending) ? 'complete' : 'capped';
}

/** The ends of crawls that need no list, or that an answer of the service replaces. */
export const SEEN_LATELY: CrawlEnd = { state: 'complete', reason: 'seen_lately' };
export const NO_TWEETS = { state: 'complete', reason: 'no_tweets', ending: 'served' } as const satisfies CrawlEnd;

/** Why a list that shows nothing is no evidence: its account hides it. */
export const LIST_CLOSED = 'list_closed';

/** The end of a list of an account that the service calls unavailable. */
export const UNAVAILABLE_LIST: CrawlEnd = { state: 'capped', reason: LIST_CLOSED, ending: 'served' };

/** The ends of re-checks of a target that the service does not have (404). Nothing is known of other types of targets. */
export const GONE_ENDS: Readonly<Partial<Record<TargetType, CrawlEnd>>> = {
  tweet: { state: 'complete', reason: 'deleted', ending: 'served' },
  // The service does not say whether it was suspended, deleted or deactivated.
  account: { state: 'complete', reason: 'unavailable', ending: 'served' },
};

const GONE_REASONS: readonly (string | undefined)[] = ['deleted', 'unavailable', 'not_found'];

/** Whether an end says that the service does not have the target (404). */
export const isGoneEnd = ({ reason }: Pick<CrawlEnd, 'reason'>): boolean => GONE_REASONS.includes(reason);

/** The end of a crawl that found a forgotten account: nothing of it is stored. */
export const ACCOUNT_ERASED: CrawlEnd = { state: 'cancelled', reason: 'erased' };

/** What ended a list, and why there is more of it. */
export interface ListEnd {
  readonly ending?: Ending | undefined;
  readonly reason?: PartialReason | undefined;
}

/** The end of the crawl of a list, by its kind and the number of rejected items (invariant 5). */
export function createListEnd(kind: string, { ending, reason }: ListEnd, rejected: number): CrawlEnd {
  if (reason !== undefined) return createPartialEnd(reason, ending);
  return rejected > 0 ? createPartialEnd('rejected_items', ending) : { state: decideEndState(kind, ending), ending };
}

/** The end of a crawl that leaves something out: pages that follow, or rejected items. */
export const createPartialEnd = (reason: PartialReason, ending?: Ending): CrawlEnd => ({
  state: 'partial',
  reason,
  ending,
});

export const createFailedEnd = (reason: string, { message }: Error): CrawlEnd => ({
  state: 'failed',
  reason,
  error: message,
});

/** Whether the specification pages the list of a kind, so that its end is evidence. */
export const isPagedKind = (kind: string): boolean => isKind(kind) && kindTable[kind].shape === 'paged list';

/** States of crawls that stored all that the service showed. */
export const SUCCESS_STATES = ['complete', 'capped'] as const;

export const isSuccessState = ({ state }: { readonly state: string }): boolean =>
  (SUCCESS_STATES as readonly string[]).includes(state);

const EXIT_CODES: Readonly<Record<string, 0 | 1>> = { complete: 0, capped: 0, failed: 1 };

/** The consequences of an end. @param end of a crawl that reached the end of its list, with an `ending`; or of any other crawl that ended. */
export const summariseEnd = ({ state, ending }: { state: string; ending?: string | null | undefined }) => ({
  /** All that was requested is stored, by evidence. */
  isComplete: state === 'complete',
  /** It can continue where it stopped. */
  isResumable: !isSuccessState({ state }) && ending == null,
  exitCode: EXIT_CODES[state] ?? 3,
});

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
