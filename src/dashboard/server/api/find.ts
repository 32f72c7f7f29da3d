/** What the page Find shows: `/api/find`. Times are milliseconds UTC, and absent values are null. */
export interface FindData {
  /** When the store was searched. */
  readonly at: number;
  /** How the search was read. */
  readonly terms: readonly SearchTermData[];
  /** The size and the limits of the answer, and what it lacks. */
  readonly notes: readonly FindNote[];
  /** Best first; one of the two is empty. */
  readonly tweets: readonly FoundTweetData[];
  readonly accounts: readonly FoundAccountData[];
  /** What finds the same in a terminal. */
  readonly command: string;
}

/** A part of a search. */
export interface SearchTermData {
  readonly text: string;
  readonly meaning: string;
  readonly problem: string | null;
}

export interface FindNote {
  readonly text: string;
  /** What shows more. */
  readonly option: 'limit' | 'includeDeleted' | null;
  /** The command that collects what is missing, and what it does. */
  readonly command: { readonly line: string; readonly result: string } | null;
}

/** A text in parts, some of which match. */
export type MarkedText = readonly { readonly text: string; readonly isMatch: boolean }[];

/** Why a result is left out by default. */
type HiddenResultState = 'deleted' | 'account_unavailable' | null;

export interface FoundTweetData {
  readonly restId: string;
  readonly author: { readonly restId: string; readonly handle: string | null; readonly name: string | null } | null;
  readonly createdAt: number | null;
  readonly likes: number | null;
  readonly retweets: number | null;
  readonly replies: number | null;
  readonly text: MarkedText;
  readonly state: HiddenResultState;
}

export interface FoundAccountData {
  readonly restId: string;
  readonly handle: MarkedText;
  readonly name: MarkedText;
  readonly biography: MarkedText;
  readonly followers: number | null;
  readonly tweets: number | null;
  readonly createdAt: number | null;
  readonly state: HiddenResultState;
}
