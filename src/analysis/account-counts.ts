import { formatCount } from '#base/text.ts';
import { formatDay, formatPercent } from '#base/units.ts';
import { kindTable, type KindName } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { CountPair } from './coverage/coverage-model.ts';

/** A list of an account whose items its profile counts. */
export type CountedList = 'timeline' | 'replies' | 'followers' | 'following';

export const isCountedList = (kind: string): kind is CountedList => Object.hasOwn(STORED, kind);

/** Whether the stored rows of a list may be compared with the count of the profile: the only place that decides it. */
export const isComparedList = (kind: KindName): boolean =>
  isCountedList(kind) && kindTable[kind].isCountedWithOthers !== true;

/** The stored share of the reported count, 1 for all of it; null if it is unknown. Above 1, more is stored than counted. */
export function computeScore({ stored, reported }: Pick<CountPair, 'stored' | 'reported'>): number | null {
  if (reported === null) return null;
  if (reported > 0) return stored / reported;
  return stored === 0 ? 1 : null;
}

/** The score as text: `59 %`, or `more than counted`; empty if it is unknown. */
export function formatScore(pair: Pick<CountPair, 'stored' | 'reported'>): string {
  const { stored, reported } = pair;
  return reported !== null && stored > reported ? 'more than counted' : formatPercent(computeScore(pair));
}

/** `400 stored, 1,344 reported on 2025-01-31 (30 %)`. Only the stored rows of a list that may not be compared. */
export function describeCounts(kind: CountedList, pair: CountPair): string {
  const stored = `${formatCount(pair.stored)} stored`;
  if (!isComparedList(kind)) return stored;
  if (pair.reported === null) return `${stored}, no count reported`;
  const on = pair.reportedAt === null ? '' : ` on ${formatDay(pair.reportedAt)}`;
  const score = formatScore(pair);
  return `${stored}, ${formatCount(pair.reported)} reported${on}${score === '' ? '' : ` (${score})`}`;
}

/** Counts all edges in an index, and subtracts those that ended, which were missed before: a list may have millions. */
const countEdges = (owner: string): string =>
  `select (select count(*) from follows where ${owner} = @userId)
     - (select count(*) from follows where ${owner} = @userId and first_missed_at is not null and ended_at is not null)`;

const countTweets = (kind: 'timeline' | 'replies'): string =>
  `select count(*) from tweets where author_id = @userId and seen_in_lists & ${kindTable[kind].listFlag} <> 0`;

const STORED: Readonly<Record<CountedList, string>> = {
  timeline: countTweets('timeline'),
  replies: countTweets('replies'),
  followers: countEdges('followee_id'),
  following: countEdges('follower_id'),
};

type ReportedCounts = Readonly<Record<'statusesCount' | 'followersCount' | 'followingCount', number | null>> & {
  readonly userId: number;
  readonly profileAt: number | null;
  readonly summaryAt: number | null;
};

/** Prepares reading the counts of lists of accounts by id; undefined for an account that is not in the store. */
export function prepareCountPairs({ $client }: Db): (restId: string, kind: CountedList) => CountPair | undefined {
  const findCounts = $client.prepare<[string], ReportedCounts>(
    `select id as userId, statuses_count as statusesCount, followers_count as followersCount,
       following_count as followingCount, profile_at as profileAt, last_summary_at as summaryAt
     from users left join _user_last_seen on user_id = id where rest_id = ?`,
  );
  const prepareStored = (kind: CountedList) => $client.prepare<[{ userId: number }], number>(STORED[kind]).pluck();
  const countStored = {
    timeline: prepareStored('timeline'),
    replies: prepareStored('replies'),
    followers: prepareStored('followers'),
    following: prepareStored('following'),
  };
  return (restId, kind) => {
    const counts = findCounts.get(restId);
    if (!counts) return undefined;
    const column = kindTable[kind].countColumn;
    const reported = isComparedList(kind) ? counts[column!] : null;
    // Only a profile has the number of tweets; a summary has the other counts.
    const summaryAt = column === 'statusesCount' ? null : counts.summaryAt;
    const seenAt = Math.max(summaryAt ?? 0, counts.profileAt ?? 0) || null;
    const stored = countStored[kind].get({ userId: counts.userId })!;
    return { stored, reported, reportedAt: reported === null ? null : seenAt };
  };
}

/** Returns undefined if the account is not in the store. */
export const readCountPair = (db: Db, restId: string, kind: CountedList): CountPair | undefined =>
  prepareCountPairs(db)(restId, kind);
