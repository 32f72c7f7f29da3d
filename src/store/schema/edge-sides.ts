import type { EdgeList } from './rows.ts';
import { follows } from './tables.ts';

/** An edge is in two lists: in that of the followee's followers, and in that of those whom the follower follows. */

/** Whose list it is. */
export const OWNER_COLUMN = { followers: follows.followeeId, following: follows.followerId };
/** Who is listed in it. */
export const MEMBER_COLUMN = { followers: follows.followerId, following: follows.followeeId };
/** What `seen_in` says of an edge that was last seen in such a list. */
export const LAST_SEEN_IN = { followers: 0, following: 1 } as const satisfies Record<EdgeList['side'], number>;
