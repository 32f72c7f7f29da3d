import type { Db } from '../store/sqlite/database.ts';

/** The columns of an account that hold a count which its profile reports. */
export type AccountCountColumn = 'statusesCount' | 'followersCount' | 'followingCount';

/** The number of stored rows, and the count that the service reports. The latter may be stale, and includes rows that lists hide. */
export interface CountPair {
  readonly stored: number;
  /** Null if the service never reported it. */
  readonly reported: number | null;
  /** The time of the report, in milliseconds UTC. */
  readonly reportedAt: number | null;
}

/** The stored share of the reported count, 1 for all of it; null if it is unknown. */
export function computeScore({ stored, reported }: Pick<CountPair, 'stored' | 'reported'>): number | null {
  if (reported === null) return null;
  if (reported > 0) return stored / reported;
  return stored === 0 ? 1 : null;
}

/** Counts all edges in an index, and subtracts those that ended, which were missed before: a list may have millions. */
const countEdges = (owner: string): string =>
  `select (select count(*) from follows where ${owner} = @userId)
     - (select count(*) from follows where ${owner} = @userId and first_missed_at is not null and ended_at is not null)`;

const STORED: Readonly<Record<AccountCountColumn, string>> = {
  statusesCount: 'select count(*) from tweets where author_id = @userId',
  followersCount: countEdges('followee_id'),
  followingCount: countEdges('follower_id'),
};

type ReportedCounts = Readonly<Record<AccountCountColumn, number | null>> & {
  readonly userId: number;
  readonly profileAt: number | null;
  readonly summaryAt: number | null;
};

/** Prepares reading counts of accounts by id; undefined for one that is not in the store. */
export function prepareCountPairs({
  $client,
}: Db): (restId: string, what: AccountCountColumn) => CountPair | undefined {
  const findCounts = $client.prepare<[string], ReportedCounts>(
    `select id as userId, statuses_count as statusesCount, followers_count as followersCount,
       following_count as followingCount, profile_at as profileAt, last_summary_at as summaryAt
     from users left join _user_last_seen on user_id = id where rest_id = ?`,
  );
  const prepareStored = (what: AccountCountColumn) =>
    $client.prepare<[{ userId: number }], number>(STORED[what]).pluck();
  const countStored = {
    statusesCount: prepareStored('statusesCount'),
    followersCount: prepareStored('followersCount'),
    followingCount: prepareStored('followingCount'),
  };
  return (restId, what) => {
    const counts = findCounts.get(restId);
    if (!counts) return undefined;
    const reported = counts[what];
    // Only a profile has the number of tweets; a summary has the other counts.
    const summaryAt = what === 'statusesCount' ? null : counts.summaryAt;
    const seenAt = Math.max(summaryAt ?? 0, counts.profileAt ?? 0) || null;
    const stored = countStored[what].get({ userId: counts.userId })!;
    return { stored, reported, reportedAt: reported === null ? null : seenAt };
  };
}

/** Returns undefined if the account is not in the store. */
export const readCountPair = (db: Db, restId: string, what: AccountCountColumn): CountPair | undefined =>
  prepareCountPairs(db)(restId, what);
