import type { SeededRandom } from '#base/seeded-random.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { Population, Account } from './population.ts';

/** The data that the events of a step read and change. */
export interface StepContext {
  readonly db: Db;
  readonly random: SeededRandom;
  readonly population: Population;
  readonly changes: ChangeRecorder;
  /** The times of the world before and after the step, in milliseconds UTC. */
  readonly from: number;
  readonly to: number;
}

export interface Edge {
  /** The service's ids. */
  readonly follower: string;
  readonly followee: string;
}

/** Columns of users that a step changes, except the handle. */
export const PROFILE_FIELDS = ['description', 'location', 'name', 'profileImageUrl', 'canDm'] as const;

/** The changes of a step, by the service's ids. Tweets that a step added still exist at its end. */
export interface WorldChanges {
  readonly tweets: readonly string[];
  readonly replies: readonly string[];
  readonly edits: readonly string[];
  /** Tweets deleted by their authors. Tweets of suspended accounts are counted in `suspensions`. */
  readonly deletions: readonly string[];
  /** Other tweets with new numbers of likes, retweets, quotes or replies. */
  readonly tweetCounts: readonly string[];
  readonly follows: readonly Edge[];
  readonly unfollows: readonly Edge[];
  /** `isTaken`: another account had the new handle before. */
  readonly renames: readonly { restId: string; from: string; to: string; isTaken: boolean }[];
  readonly profiles: readonly { restId: string; field: (typeof PROFILE_FIELDS)[number] }[];
  readonly suspensions: readonly { restId: string; screenName: string; tweets: number; edges: number }[];
  /** Accounts with new numbers of followers, followed accounts, tweets, media or likes. */
  readonly userCounts: readonly string[];
}

type ChangeRecorder = ReturnType<typeof createChangeRecorder>;

/** Collects the changes of a step, and the rows whose counts depend on them. */
export function createChangeRecorder() {
  const lists = {
    tweets: [] as string[],
    replies: [] as string[],
    follows: [] as Edge[],
    unfollows: [] as Edge[],
    renames: [] as WorldChanges['renames'][number][],
    profiles: [] as WorldChanges['profiles'][number][],
    suspensions: [] as WorldChanges['suspensions'][number][],
    userCounts: [] as string[],
  };
  const edits = new Set<string>();
  const deletions = new Set<string>();
  const tweetCounts = new Set<string>();
  return {
    ...lists,
    edits,
    deletions,
    tweetCounts,
    /** Keys of users whose counts are computed again. */
    touchedUsers: new Set<number>(),
    /** The service's ids of tweets whose replies are counted again. */
    touchedParents: new Set<string>(),
    /** New likes, by the key of the account that likes. */
    likes: new Map<number, number>(),
    renamed: new Set<Account>(),
    /** Fields of profiles that the step has changed; it does not change them again. */
    changedFields: new Set<string>(),
    /** Edges that the step has begun or ended; it does not change them again. */
    changedEdges: new Set<string>(),
    finish(): WorldChanges {
      const isNew = new Set([...lists.tweets, ...lists.replies]);
      const remaining = (ids: Iterable<string>): string[] => [...ids].filter((id) => !deletions.has(id));
      return {
        ...lists,
        edits: remaining(edits),
        deletions: [...deletions],
        tweetCounts: remaining(tweetCounts).filter((id) => !isNew.has(id)),
      };
    },
  };
}

interface UserCounts {
  readonly followers: number;
  readonly following: number;
  readonly statuses: number;
  readonly media: number;
}

const COUNTED = {
  followers: 'select count(*) from follows where followee_id = u.id and ended_at is null',
  following: 'select count(*) from follows where follower_id = u.id and ended_at is null',
  statuses: 'select count(*) from tweets where author_id = u.id',
  media: 'select count(*) from tweets where author_id = u.id and has_media',
};

/** Sets the counts of all changed users and tweets to the numbers of rows. */
export function updateCounts({ db, changes, to }: StepContext): void {
  const stored = db.$client.prepare<[number], UserCounts & { readonly restId: string }>(
    `select rest_id as restId, followers_count as followers, following_count as following, statuses_count as statuses,
       media_count as media from users where id = ?`,
  );
  const counted = db.$client.prepare<[number], UserCounts>(
    `select ${Object.entries(COUNTED)
      .map(([name, query]) => `(${query}) as ${name}`)
      .join(', ')} from users u where id = ?`,
  );
  const updateUser = db.$client.prepare<[number, number, number, number, number, number, number, number]>(
    `update users set followers_count = ?, following_count = ?, statuses_count = ?, media_count = ?,
       favourites_count = coalesce(favourites_count, 0) + ?, changed_at = ?, profile_at = ? where id = ?`,
  );
  for (const id of changes.touchedUsers) {
    const before = stored.get(id);
    const now = counted.get(id);
    // A suspended account has no row.
    if (!before || !now) continue;
    const likes = changes.likes.get(id) ?? 0;
    const isEqual = (Object.keys(COUNTED) as (keyof UserCounts)[]).every((name) => before[name] === now[name]);
    if (isEqual && likes === 0) continue;
    updateUser.run(now.followers, now.following, now.statuses, now.media, likes, to, to, id);
    changes.userCounts.push(before.restId);
  }

  const updateTweet = db.$client.prepare<[number, string]>(
    `update tweets as t set last_seen_at = ?,
       reply_count = (select count(*) from tweets r where r.in_reply_to_status_rest_id = t.rest_id)
     where rest_id = ?
       and reply_count is not (select count(*) from tweets r where r.in_reply_to_status_rest_id = t.rest_id)`,
  );
  for (const restId of changes.touchedParents) {
    if (updateTweet.run(to, restId).changes > 0) changes.tweetCounts.add(restId);
  }
}
