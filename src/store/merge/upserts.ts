import { sql } from 'drizzle-orm';
import type { GroupRow } from '../schema/rows.ts';
import { communities, lists, searches, searchHits, tweetReplies } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compile } from '../sqlite/statement.ts';
import { prepareFollows } from './follows.ts';
import { excluded, latest, newest, placeholders, rules } from './merge-rules.ts';
import { prepareTweets } from './tweets.ts';
import type { KnownUsers } from './user-cache.ts';
import { prepareUsers } from './users.ts';

/** Prepares every upsert of the crawl on one connection. They run inside the caller's transaction. */
export function prepareUpserts(db: Db, memory: KnownUsers) {
  const group = (table: typeof communities | typeof lists) =>
    compile(
      db,
      db
        .insert(table)
        .values(placeholders(table, ['restId', 'name', 'description', 'seenAt']))
        .onConflictDoUpdate({
          target: table.restId,
          set: {
            ...rules(table, ['name', 'description'], newest(excluded(table.seenAt), table.seenAt)),
            ...rules(table, ['seenAt'], latest),
          },
        })
        .returning({ id: table.id }),
    );
  const groupUpserts = { community: group(communities), list: group(lists) };

  const search = compile(
    db,
    db
      .insert(searches)
      .values(placeholders(searches, ['query', 'firstSeen', 'seenAt']))
      .onConflictDoUpdate({ target: searches.query, set: rules(searches, ['seenAt'], latest) })
      .returning({ id: searches.id }),
  );
  const searchHit = compile(
    db,
    db
      .insert(searchHits)
      .values(placeholders(searchHits, ['searchId', 'tweetId', 'rank', 'firstSeen', 'lastSeen']))
      .onConflictDoUpdate({
        target: [searchHits.searchId, searchHits.tweetId],
        set: {
          ...rules(searchHits, ['rank'], newest(excluded(searchHits.lastSeen), searchHits.lastSeen)),
          ...rules(searchHits, ['lastSeen'], latest),
        },
      }),
  );

  const at = sql`${sql.placeholder('at')}`;
  const nested = compile(
    db,
    db
      .insert(tweetReplies)
      .select(
        sql`select ${sql.placeholder('of')}, value, ${at}, ${at} from json_each(${sql.placeholder('replies')}) where true`,
      )
      .onConflictDoUpdate({
        target: [tweetReplies.tweetId, tweetReplies.replyId],
        set: {
          ...rules(tweetReplies, ['firstSeenAt'], (column, observed) => sql`min(${column}, ${observed})`),
          ...rules(tweetReplies, ['lastSeenAt'], latest),
        },
      }),
  );

  return {
    users: prepareUsers(db, memory),
    tweet: prepareTweets(db),
    follows: prepareFollows(db),

    group: (kind: 'community' | 'list', row: GroupRow, seenAt: number): number =>
      groupUpserts[kind].get({ ...row, seenAt })![0] as number,

    search: (query: string, seenAt: number): number => search.get({ query, firstSeen: seenAt, seenAt })![0] as number,

    /** Replies were shown below a tweet. */
    nestedReplies(of: number, replies: readonly number[], seenAt: number): void {
      nested.run({ of, replies: JSON.stringify(replies), at: seenAt });
    },

    searchHit(searchId: number, tweetId: number, rank: number, seenAt: number): void {
      searchHit.run({ searchId, tweetId, rank, firstSeen: seenAt, lastSeen: seenAt });
    },
  };
}
