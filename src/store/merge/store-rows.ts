import { sql } from 'drizzle-orm';
import type { PageRows } from '../schema/rows.ts';
import {
  communities,
  communityTweets,
  lists,
  listTweets,
  searches,
  searchHits,
  tweetReplies,
} from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { prepareFollows } from './follows.ts';
import { compileUpsert, mergeColumns, takeLatest, takeNewest } from './merge-rules.ts';
import { prepareTweets } from './tweets.ts';
import type { UserCache } from './user-cache.ts';
import { prepareUsers } from './users.ts';

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
  const { at } = bound;

  const prepareGroup = (table: typeof communities | typeof lists) => {
    const newest = takeNewest(table.lastSeenAt);
    const rules = { name: newest, description: newest, lastSeenAt: takeLatest };
    return compileUpsert(db, table, ['restId'], rules, { returning: table.id });
  };
  const upsertGroup = { community: prepareGroup(communities), list: prepareGroup(lists) };
  const member = { tweetId: bound.tweetId, firstSeenAt: at };
  const communityTweet = db.insert(communityTweets).values({ communityId: bound.groupId, ...member });
  const listTweet = db.insert(listTweets).values({ listId: bound.groupId, ...member });
  const insertMember = {
    community: compileStatement(communityTweet.onConflictDoNothing()),
    list: compileStatement(listTweet.onConflictDoNothing()),
  };

  const upsertSearch = compileUpsert(db, searches, ['query'], { lastSeenAt: takeLatest }, { returning: searches.id });
  const upsertSearchHit = compileUpsert(db, searchHits, ['searchId', 'tweetId'], {
    rank: takeNewest(searchHits.lastSeenAt),
    lastSeenAt: takeLatest,
  });
  /** Replies that were shown below a tweet. */
  const upsertReplies = compileStatement(
    db
      .insert(tweetReplies)
      .select(sql`select ${bound.tweetId}, value, ${at}, ${at} from json_each(${bound.replies}) where true`)
      .onConflictDoUpdate({
        target: [tweetReplies.tweetId, tweetReplies.replyId],
        set: {
          ...mergeColumns(tweetReplies, ['firstSeenAt'], (column, observed) => sql`min(${column}, ${observed})`),
          ...mergeColumns(tweetReplies, ['lastSeenAt'], takeLatest),
        },
      }),
  );

  return (rows, time, firstRank, listed = 0) => {
    const seen = { firstSeenAt: time, lastSeenAt: time };
    const users = storeUsers(rows.users, time);
    const search = rows.search === undefined ? undefined : upsertSearch.get({ query: rows.search, ...seen })!;
    const groups = (['community', 'list'] as const).flatMap((kind) =>
      rows[kind] ? [{ kind, groupId: upsertGroup[kind].get({ ...rows[kind], ...seen })![0] }] : [],
    );
    let newTweets = 0;
    let changes = users.changedUsers;
    const tweetIds = new Map<string, number>();
    for (const [i, row] of rows.tweets.entries()) {
      const authorId = row.authorRestId == null ? null : (users.ids.get(row.authorRestId) ?? null);
      const { id: tweetId, isNew, hasChanged } = storeTweet(row, authorId, time, row.isPinned ? 0 : listed);
      if (isNew) newTweets++;
      if (hasChanged) changes++;
      if (rows.nested) tweetIds.set(row.restId, tweetId);
      if (search) upsertSearchHit.run({ searchId: search[0], tweetId, rank: firstRank + i, ...seen });
      for (const { kind, groupId } of groups) insertMember[kind].run({ groupId, tweetId, at: time });
    }

    if (rows.nested) {
      const replies = JSON.stringify(rows.nested.replies.map((reply) => tweetIds.get(reply)!));
      upsertReplies.run({ tweetId: tweetIds.get(rows.nested.tweetId)!, replies, at: time });
    }

    let newEdges = 0;
    for (const { side, owner, members } of rows.follows) {
      const ids = members.map((restId) => users.ids.get(restId)!);
      newEdges += storeEdges(side, users.ids.get(owner)!, ids, time);
    }

    const newItems = rows.follows.length > 0 ? newEdges : rows.tweets.length > 0 ? newTweets : users.newUsers;
    return { newItems, changes };
  };
}
