import { sql } from 'drizzle-orm';
import type { GroupRow } from '../schema/rows.ts';
import { communities, lists, searches, searchHits, tweetReplies } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { prepareFollows } from './follows.ts';
import { compileUpsert, mergeColumns, takeLatest, takeNewest } from './merge-rules.ts';
import { prepareTweets } from './tweets.ts';
import type { UserCache } from './user-cache.ts';
import { prepareUsers } from './users.ts';

/** Prepares all upserts of a page on one connection. They run inside the caller's transaction. */
export function prepareUpserts(db: Db, userCache: UserCache) {
  const prepareGroup = (table: typeof communities | typeof lists) => {
    const newest = takeNewest(table.lastSeenAt);
    const rules = { name: newest, description: newest, lastSeenAt: takeLatest };
    return compileUpsert(db, table, ['restId'], rules, { returning: table.id });
  };
  const groupUpserts = { community: prepareGroup(communities), list: prepareGroup(lists) };

  const search = compileUpsert(db, searches, ['query'], { lastSeenAt: takeLatest }, { returning: searches.id });
  const searchHit = compileUpsert(db, searchHits, ['searchId', 'tweetId'], {
    rank: takeNewest(searchHits.lastSeenAt),
    lastSeenAt: takeLatest,
  });

  const { at } = bound;
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

  return {
    users: prepareUsers(db, userCache),
    tweet: prepareTweets(db),
    follows: prepareFollows(db),

    group: (kind: 'community' | 'list', row: GroupRow, seenAt: number): number =>
      groupUpserts[kind].get({ ...row, lastSeenAt: seenAt })![0] as number,

    search: (query: string, seenAt: number): number =>
      search.get({ query, firstSeenAt: seenAt, lastSeenAt: seenAt })![0] as number,

    /** Stores that replies were shown below a tweet. */
    nestedReplies(parentId: number, replies: readonly number[], seenAt: number): void {
      upsertReplies.run({ tweetId: parentId, replies: JSON.stringify(replies), at: seenAt });
    },

    searchHit(searchId: number, tweetId: number, rank: number, seenAt: number): void {
      searchHit.run({ searchId, tweetId, rank, firstSeenAt: seenAt, lastSeenAt: seenAt });
    },
  };
}
