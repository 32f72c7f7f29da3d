import type { EdgeList } from './rows.ts';
import { follows } from './tables.ts';

/** An edge is in two lists: in the followers of the followee, and in the followed accounts of the follower. */

/** The owner of the list. */
export const OWNER_COLUMN = { followers: follows.followeeId, following: follows.followerId };
/** The listed account. */
export const MEMBER_COLUMN = { followers: follows.followerId, following: follows.followeeId };
/** The value of `last_seen_in`. */
export const LAST_SEEN_IN = { followers: 0, following: 1 } as const satisfies Record<EdgeList['side'], number>;
