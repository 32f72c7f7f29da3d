import type { TimeRange } from '../../base/time-ranges.ts';
import type { Answer } from '../answer.ts';

/**
 * How complete the lists of an account are, for the terminal, reports and charts (invariants 4, 5 and 7). Times are
 * milliseconds UTC.
 */

/**
 * Whether the tweets of a time are stored:
 * - `complete`: all that the service had in the list when it was last read there;
 * - `gap`: not read. Another crawl may read it, unless the reason says otherwise;
 * - `unknown`: read as far as the service shows it, without evidence that there is no more;
 * - `pruned`: removed from the store. It is not missing, since it was stored, and not complete.
 */
export type SegmentState = 'complete' | 'gap' | 'unknown' | 'pruned';

/**
 * A part of the axis of a list. It is about the times strictly between its bounds: at a bound, other tweets of the same
 * instant may be missing.
 */
export interface Segment extends TimeRange {
  readonly state: SegmentState;
  /** A key of the table in `reasons.ts`; null for a complete segment. */
  readonly reason: string | null;
  /** The crawl that stopped at a gap; null for other segments. */
  readonly crawlId: number | null;
  /** The pages and items of a complete segment. Of a pruned one, the items that were removed from the list, in all. */
  readonly pages: number;
  readonly items: number;
  /** When items of a pruned segment were removed last. */
  readonly prunedAt?: number | undefined;
  /** The parts that a search covered, without evidence of completeness. Empty for a complete segment. */
  readonly searched: readonly TimeRange[];
}

/** Why a list or a part of it is not complete, in words; null for a complete one. */
export interface DescribedReason {
  readonly description: string | null;
  /** Whether another crawl may read what is missing. */
  readonly isCollectable: boolean | null;
}

/** A part of an axis with what is said of it. */
export interface CoverageSegment extends Segment, DescribedReason, Pick<Answer<SegmentState>, 'state' | 'sentence'> {}

/** The time that the segments of a list cover: from the creation of the account to the last check of the list. */
export interface TimeAxis extends TimeRange {
  /** False if the creation is unknown: then `from` is the oldest known time, and an unknown time lies before it. */
  readonly isFromKnown: boolean;
}

/** The stored rows of a list, and the count that the service reports. The latter may be stale, and includes rows that lists hide. */
export interface CountPair {
  readonly stored: number;
  /** Null if the service never reported it, or if the list may not be compared with it. */
  readonly reported: number | null;
  /** The time of the report, in milliseconds UTC. */
  readonly reportedAt: number | null;
}

/** A reason for a difference between stored and reported. */
export interface DifferenceReason {
  /** Its name, for programs: `explainDifference` has them. For an incomplete list, a key of the table in `reasons.ts`. */
  readonly reason: string;
  /** The number of parts of the list or of rows that it is about; null if it has none. */
  readonly count: number | null;
  /** The reason in English. */
  readonly text: string;
}

/** The stored rows of a list beside the count of the account's profile, if they may be compared. */
export interface CountComparison extends CountPair {
  /** Why the two differ, as far as there is evidence. Empty if they are equal. */
  readonly difference: readonly DifferenceReason[];
  /** All of it in a sentence without a full stop; empty if they are equal. */
  readonly explanation: string;
  /** Both numbers in words: `3 stored, 300 reported on 2025-01-31`. */
  readonly counted: string;
}

/** The lists of an account. */
export type ListKind = (OrderedListCoverage | AccountListCoverage)['kind'];

/**
 * A list in chronological order: the tweets of an account, without (`timeline`) or with its replies. `not available`: it was
 * never read, and the service does not have the account.
 */
export interface OrderedListCoverage extends CountComparison, Answer<'collected' | 'not collected' | 'not available'> {
  readonly kind: 'timeline' | 'replies';
  /** Null unless it was collected. */
  readonly axis: TimeAxis | null;
  /** Oldest first. They tile the axis; a gap between two tweets of one instant has no length. */
  readonly segments: readonly CoverageSegment[];
  /** The tweets that this list showed, deleted ones included. Others may be stored from searches and other lists. */
  readonly stored: number;
}

/**
 * `complete`: a crawl read it to the end that the service gave. `incomplete`: not to its end, or shortened.
 * `not available`: the list is closed, or it was never read and the service does not have the account.
 */
export type AccountListState = 'complete' | 'incomplete' | 'not collected' | 'not available';

/** The followers of an account, or the accounts that it follows: a list without an order. */
export interface AccountListCoverage extends CountComparison, DescribedReason, Answer<AccountListState> {
  readonly kind: 'followers' | 'following';
  /** The start of the crawl that read it, or when the service answered that it has no such account; null without either. */
  readonly asOf: number | null;
  /** Why it is not complete: a key of the table in `reasons.ts`; null for a complete list. */
  readonly reason: string | null;
}

export interface CoveredAccount {
  readonly restId: string;
  readonly screenName: string | null;
  readonly name: string | null;
  readonly createdAt: number | null;
  /** When the service answered last that it does not have the account; null if it was seen since, or never missing. */
  readonly unavailableAt: number | null;
}

/** The coverage of the lists of an account. */
export interface AccountCoverage {
  readonly account: CoveredAccount;
  /** The stored tweets of the account, from any source. No count of the service is compared with them. */
  readonly tweets: Pick<CountPair, 'stored'>;
  /** `timeline` and `replies`. */
  readonly orderedLists: readonly OrderedListCoverage[];
  /** `followers` and `following`. */
  readonly accountLists: readonly AccountListCoverage[];
  /** The ranges that were searched for the tweets of the account, since it has its handle. */
  readonly searched: readonly TimeRange[];
}
