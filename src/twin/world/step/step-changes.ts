import type { Account } from './population.ts';

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

export type ChangeRecorder = ReturnType<typeof createChangeRecorder>;

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
