import type { PageRows } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareFollows } from './merge-follows.ts';
import { prepareTweets } from './merge-tweets.ts';
import { prepareUsers } from './merge-users.ts';
import { prepareTweetLists } from './tweet-lists.ts';
import type { UserCache } from './user-cache.ts';

/** The result of storing rows. */
export interface StoredRows {
  /** New items: edges, tweets or, on a page of neither, users. */
  readonly newItems: number;
  /** Changed users and tweets. */
  readonly changes: number;
}

/**
 * Stores the rows of a response that was requested at a time, inside the caller's transaction.
 * @param firstRank the position of the first tweet in the result of its search
 * @param listed the flag of the tweets' list in `tweets.seen_in_lists`
 */
export type StoreRows = (rows: PageRows, at: number, firstRank: number, listed?: number) => StoredRows;

/** Prepares StoreRows, once per connection. */
export function prepareStoreRows(db: Db, userCache: UserCache): StoreRows {
  const storeUsers = prepareUsers(db, userCache);
  const storeTweet = prepareTweets(db);
  const storeEdges = prepareFollows(db);
  const storeTweetList = prepareTweetLists(db);

  return (rows, time, firstRank, listed = 0) => {
    const users = storeUsers(rows.users, time);
    let newTweets = 0;
    let changes = users.changedUsers;
    const tweets = new Map<string, number>();
    for (const row of rows.tweets) {
      const authorId = row.authorRestId == null ? null : (users.ids.get(row.authorRestId) ?? null);
      const { id, isNew, hasChanged } = storeTweet(row, authorId, time, row.isPinned ? 0 : listed);
      if (isNew) newTweets++;
      if (hasChanged) changes++;
      tweets.set(row.restId, id);
    }
    for (const list of rows.tweetLists) storeTweetList(list, { users: users.ids, tweets }, time, firstRank);

    let newEdges = 0;
    for (const { side, owner, members } of rows.follows) {
      const ids = members.map((restId) => users.ids.get(restId)!);
      newEdges += storeEdges(side, users.ids.get(owner)!, ids, time);
    }

    const newItems = rows.follows.length > 0 ? newEdges : rows.tweets.length > 0 ? newTweets : users.newUsers;
    return { newItems, changes };
  };
}
