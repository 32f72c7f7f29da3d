/** What the page Accounts shows: `/api/accounts`. Times are milliseconds UTC, and absent values are null. */
export interface AccountListData {
  /** In the order of the request; of a search, the best match first. */
  readonly rows: readonly AccountLine[];
  /** Where the next page begins; null after the last one, and for a search. */
  readonly next: string | null;
  /** The number of accounts that match a search; null without one. */
  readonly matched: number | null;
  /** Whether more than `matched` may match. */
  readonly isBounded: boolean;
  /** The number of listed accounts on all pages, without a search. */
  readonly total: number;
  /** The number of all accounts, and of those that crawls were of. */
  readonly all: number;
  readonly collected: number;
  /** What crawls collected of accounts, with the number of accounts. */
  readonly kinds: readonly CollectedKind[];
}

/** A kind of crawls whose target is an account. */
export interface CollectedKind {
  readonly kind: string;
  readonly label: string;
  readonly n: number;
  readonly isSelected: boolean;
}

/** An account in a list. Its counts are those that the service reported last. */
export interface AccountLine {
  readonly restId: string;
  readonly handle: string | null;
  readonly name: string | null;
  readonly followers: number | null;
  readonly tweets: number | null;
  /** When a response showed it last. */
  readonly lastSeenAt: number | null;
}

/** What the page of an account shows: `/api/accounts/:account`. */
export interface AccountData {
  readonly line: AccountLine;
  readonly createdAt: number | null;
  /** When the service answered last that it does not have the account. */
  readonly unavailableAt: number | null;
  readonly lists: readonly AccountListCoverageData[];
  /** How old the evidence of deletions of its tweets is, as a sentence, and what checks the tweets. */
  readonly deletions: { readonly text: string; readonly command: string | null };
}

/** How much of a list of an account is stored: an answer of `analysis/coverage`. */
export interface AccountListCoverageData {
  readonly kind: string;
  readonly label: string;
  /** Its state, and its stored and reported items. */
  readonly sentence: string;
  readonly counted: string;
  /** Why the two differ, in sentences without a full stop. */
  readonly difference: readonly string[];
  /** What collects it, for a list that was never read. */
  readonly command: string | null;
  /** The axis of time at its true scale, as SVG, for wide and narrow windows; null for a list without an order. */
  readonly axis: { readonly wide: string; readonly narrow: string } | null;
  /** The periods of the axis, the latest first, as many as are listed. */
  readonly periods: readonly PeriodData[];
  readonly periodCount: number;
}

export interface PeriodData {
  readonly from: number;
  readonly to: number;
  readonly sentence: string;
  readonly isComplete: boolean;
  /** Whether a backfill may fetch tweets of it. */
  readonly isBackfillable: boolean;
  /** The crawl that stopped at a gap. */
  readonly crawlId: number | null;
}
