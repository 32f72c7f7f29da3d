import type { TweetListKind } from '#store/relations/list-relations.ts';
import type { media, tweets, users } from './tables.ts';

/**
 * The rows that normalisers derive from a page and `commitPage` stores: plain, clonable data with the service's ids.
 * `null` and absent both mean unknown: they never erase a stored value (invariant 6).
 */

/** How much of a user an observation shows. A lower level never overwrites a higher one. */
export type DetailLevel = 'reference' | 'summary' | 'profile';

type UserColumns = Omit<
  typeof users.$inferInsert,
  'id' | 'firstSeenAt' | 'profileAt' | 'changedAt' | 'hasStaleColumns'
>;

export interface UserRow extends Readonly<UserColumns> {
  readonly detailLevel: DetailLevel;
}

export type MediaRow = Readonly<Omit<typeof media.$inferInsert, 'tweetId' | 'position'>>;

type TweetColumns = Omit<
  typeof tweets.$inferInsert,
  | ('id' | 'authorId' | 'firstSeenAt' | 'lastSeenAt')
  | ('hasStaleColumns' | 'seenInLists' | 'hasMediaSeenAt' | 'inReplyToSeenAt')
>;

export interface TweetRow extends Readonly<TweetColumns> {
  /** The id of the author, who is among the users of the page. */
  readonly authorRestId?: string | null | undefined;
  /** The tweet is not part of the list, so that its position is unknown. */
  readonly isPinned?: true | undefined;
  readonly media: readonly MediaRow[];
  readonly hashtags: readonly string[];
  readonly mentions: readonly string[];
  readonly links: readonly string[];
}

/** A part of an account's list of followers or followed accounts. All members are among the users of the page. */
export interface EdgeList {
  readonly owner: string;
  readonly side: 'followers' | 'following';
  readonly members: readonly string[];
}

/** Tweets that a list showed, in the order served. All of them are among the tweets of the page. */
export interface TweetList {
  readonly kind: TweetListKind;
  /** The service's id of the community, the list or the tweet above replies; the query of a search. */
  readonly target: string;
  /** What the page shows of a community or a list. */
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly tweets: readonly string[];
}

/** An item that could not be read (invariant 11). */
export interface Reject {
  readonly path: string;
  readonly reason: string;
  /** The start of the item as JSON. */
  readonly sample: string;
}

/** Field values that could not be read. Their items are stored without them (invariant 6). */
export interface DroppedField {
  /** The item type and the field: `tweet.created_at`. */
  readonly field: string;
  readonly reason: string;
  readonly count: number;
  /** The first value, as JSON. */
  readonly sample: string;
}

/** A field that the specification does not define, or a value whose form differs from it. */
export interface DriftRow {
  readonly field: string;
  readonly sample: string;
}

/** Of `items` items of a type, how many had each of the named fields. */
export interface FieldCounts {
  readonly itemType: string;
  readonly names: readonly string[];
  readonly items: number;
  readonly filled: readonly number[];
}

/** Rows that the writer holds until their commit, and what is known of them elsewhere. */
export interface StagedRows {
  readonly stagedId: number;
  readonly rejectedCount: number;
  /** The fingerprint of the summary by which the crawl decides: the writer compares it with that of the rows. */
  readonly fingerprint: string;
}

/** The rows of a page, in the order served. */
export interface PageRows {
  readonly users: readonly UserRow[];
  readonly tweets: readonly TweetRow[];
  readonly follows: readonly EdgeList[];
  readonly tweetLists: readonly TweetList[];
  readonly rejects: readonly Reject[];
  readonly drift: readonly DriftRow[];
  readonly dropped?: readonly DroppedField[] | undefined;
  readonly fields?: readonly FieldCounts[] | undefined;
}

export const NO_ROWS: PageRows = { users: [], tweets: [], follows: [], tweetLists: [], rejects: [], drift: [] };
