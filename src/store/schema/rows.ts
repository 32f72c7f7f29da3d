/**
 * What normalisers make of a page and `commit` stores: plain, clonable data, keyed by the service's own ids, so that
 * it can cross to another thread. `null` and absent both mean "not said": they never erase what is known (invariant 6).
 */

type Maybe<T> = T | null | undefined;

/** How much of a user an observation shows: a fuller one is never overwritten by a lesser. */
export type DetailLevel = 'reference' | 'summary' | 'profile';

export interface UserRow {
  readonly restId: string;
  readonly detailLevel: DetailLevel;
  readonly screenName?: Maybe<string>;
  readonly name?: Maybe<string>;
  readonly description?: Maybe<string>;
  readonly location?: Maybe<string>;
  readonly url?: Maybe<string>;
  readonly type?: Maybe<string>;
  readonly profileImageUrl?: Maybe<string>;
  readonly coverImageUrl?: Maybe<string>;
  readonly verified?: Maybe<boolean>;
  readonly isBlueVerified?: Maybe<boolean>;
  readonly canDm?: Maybe<boolean>;
  readonly hasCustomTimelines?: Maybe<boolean>;
  readonly isTranslator?: Maybe<boolean>;
  readonly followersCount?: Maybe<number>;
  readonly followingCount?: Maybe<number>;
  readonly favouritesCount?: Maybe<number>;
  readonly mediaCount?: Maybe<number>;
  readonly statusesCount?: Maybe<number>;
  readonly createdAt?: Maybe<number>;
}

export interface MediaRow {
  readonly type?: Maybe<string>;
  readonly url?: Maybe<string>;
  readonly width?: Maybe<number>;
  readonly height?: Maybe<number>;
}

export interface TweetRow {
  readonly restId: string;
  /** The author's id; the author is among the page's users. */
  readonly authorRestId?: Maybe<string>;
  readonly text?: Maybe<string>;
  readonly createdAt?: Maybe<number>;
  readonly favoriteCount?: Maybe<number>;
  readonly retweetCount?: Maybe<number>;
  readonly replyCount?: Maybe<number>;
  readonly quoteCount?: Maybe<number>;
  readonly hasMedia?: Maybe<boolean>;
  readonly inReplyToStatusRestId?: Maybe<string>;
  readonly inReplyToUserRestId?: Maybe<string>;
  readonly inReplyToScreenName?: Maybe<string>;
  /** It stood outside of the list: that the list shows it is not known. */
  readonly isPinned?: true | undefined;
  readonly media: readonly MediaRow[];
  readonly hashtags: readonly string[];
  readonly mentions: readonly string[];
  readonly links: readonly string[];
}

/** Who follows an account, or whom it follows: part of such a list. All of them are among the page's users. */
export interface EdgeList {
  readonly owner: string;
  readonly side: 'followers' | 'following';
  readonly members: readonly string[];
}

/** Tweets that stood below another as its replies. All of them are among the page's tweets. */
export interface NestedReplies {
  /** The tweet above them. */
  readonly tweetId: string;
  readonly replies: readonly string[];
}

export interface GroupRow {
  readonly restId: string;
  readonly name?: Maybe<string>;
  readonly description?: Maybe<string>;
}

/** An item set aside (invariant 11). */
export interface Reject {
  readonly path: string;
  readonly reason: string;
  /** The start of the item as JSON. */
  readonly sample: string;
}

/** Values of a field that could not be read: their items were stored without them (invariant 6). */
export interface DroppedField {
  /** The sort of item and the field: `tweet.created_at`. */
  readonly field: string;
  readonly reason: string;
  readonly count: number;
  /** The first of the values as JSON. */
  readonly sample: string;
}

/** A field the spec does not have, or a value in another form than it says. */
export interface DriftRow {
  readonly field: string;
  readonly sample: string;
}

/** Which fields some items of a sort had: so many of `items` each of those named. */
export interface FieldCounts {
  readonly itemType: string;
  readonly names: readonly string[];
  readonly items: number;
  readonly filled: readonly number[];
}

/** Everything one page holds, in the order served. */
export interface PageRows {
  readonly users: readonly UserRow[];
  readonly tweets: readonly TweetRow[];
  readonly follows: readonly EdgeList[];
  readonly nested?: NestedReplies | undefined;
  readonly community?: GroupRow | undefined;
  readonly list?: GroupRow | undefined;
  /** The query whose hits the tweets are, by rank. */
  readonly search?: string | undefined;
  readonly rejects: readonly Reject[];
  readonly drift: readonly DriftRow[];
  readonly dropped?: readonly DroppedField[] | undefined;
  readonly fields?: readonly FieldCounts[] | undefined;
}
