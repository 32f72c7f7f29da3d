/** How an account changed, and when it writes: `/api/accounts/:account/history`. Times are ISO 8601 in UTC. */
export interface AccountHistoryData {
  readonly followers: FollowerCounts;
  readonly followerChanges: FollowerChanges;
  readonly profile: HistoryPart & { readonly changes: readonly ProfileChange[] };
  readonly edits: HistoryPart & { readonly changes: readonly TextChange[] };
  readonly activity: PostingActivity;
  readonly top: HistoryPart & { readonly tweets: readonly TopTweet[] };
}

/** What the store lacks for a part of the page, in words; nothing if the part has all that it needs. */
export interface HistoryPart {
  readonly missing: readonly MissingPart[];
}

export interface MissingPart {
  readonly text: string;
  /** What collects it; null if nothing does. */
  readonly command: string | null;
}

type Period = 'day' | 'week' | 'month';

/** The number of followers that the service reported last in each period. */
export interface FollowerCounts extends HistoryPart {
  readonly period: Period;
  /** Oldest first, without holes. */
  readonly counts: readonly FollowerCount[];
  /** From the first to the last count; null with fewer than two. */
  readonly change: { readonly value: number; readonly from: string; readonly to: string } | null;
}

export interface FollowerCount {
  /** The first day of the period. */
  readonly start: string;
  /** Null if the service did not report it in the period. */
  readonly followers: number | null;
  /** Since the last count before the period. */
  readonly change: number | null;
  readonly asOf: string | null;
}

/** Followers gained and lost in each period in which it was noticed. */
export interface FollowerChanges extends HistoryPart {
  readonly period: Period;
  /** Oldest first, without holes. */
  readonly counts: readonly FollowerChange[];
  /** The causes of lost followers, as a sentence; null if none was lost. */
  readonly causes: string | null;
}

export interface FollowerChange {
  readonly start: string;
  /** Null if no list could show it. */
  readonly gained: number | null;
  readonly lost: number | null;
  /** Whether a part may be missing, or belong to an earlier period. */
  readonly isPartial: boolean;
}

/** A changed field of a profile. It changed after `lastSeenAt`, and not later than `noticedAt`. */
export interface ProfileChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly lastSeenAt: string;
  readonly noticedAt: string;
}

/** A changed text of a tweet. */
export interface TextChange {
  readonly restId: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly lastSeenAt: string;
  readonly noticedAt: string;
}

export interface PostingActivity extends HistoryPart {
  /** The number of stored tweets and replies with a known time. */
  readonly posts: number;
  /** The fewest posts whose hours are shown. */
  readonly least: number;
  /** The posts of each hour of the week in UTC, from Monday 00:00; null for hours that were not observed. Empty with too few posts. */
  readonly hours: readonly (number | null)[];
}

export interface TopTweet {
  readonly restId: string;
  readonly text: string;
  readonly createdAt: string | null;
  readonly likes: number;
  /** When the service showed the number of likes last. */
  readonly asOf: string;
  /** `suspected`, `deleted`, or null. */
  readonly deletionState: string | null;
}
