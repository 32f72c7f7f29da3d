import type Database from 'better-sqlite3';
import { TWEET_RELATIONS, type TweetListKind } from '#store/relations/list-relations.ts';
import type { TweetList } from '#store/schema/normalised-rows.ts';
import { communities, lists, searches } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { Statement } from '#store/sqlite/statement.ts';
import { compileUpsert, takeEarliest, takeLatest, takeNewest } from './merge-rules.ts';

/** The keys of users and tweets by the service's ids. */
type Keys = Readonly<Record<string, { readonly get: (restId: string) => number | undefined }>>;

/**
 * Prepares the storing of which tweets a list shows, in one statement, and of its owner, unless that is a user or a tweet,
 * which are stored before.
 */
export function prepareTweetLists(db: Db) {
  const prepareGroup = (table: typeof communities | typeof lists) => {
    const newest = takeNewest(table.lastSeenAt);
    const rules = { name: newest, description: newest, lastSeenAt: takeLatest };
    return compileUpsert(db, table, ['restId'], rules, { returning: table.id });
  };
  const times = { firstSeenAt: takeEarliest, lastSeenAt: takeLatest };
  const upsertOwner: Readonly<Record<string, Statement>> = {
    communities: prepareGroup(communities),
    lists: prepareGroup(lists),
    searches: compileUpsert(db, searches, ['query'], times, { returning: searches.id }),
  };
  const statements: Partial<Record<TweetListKind, Database.Statement>> = {};

  return (list: TweetList, keys: Keys, at: number, firstRank: number): void => {
    const { kind, target, tweets } = list;
    const { owners } = TWEET_RELATIONS[kind];
    const row = { ...list, restId: target, query: target, firstSeenAt: at, lastSeenAt: at };
    const owner = keys[owners] ? keys[owners].get(target) : upsertOwner[owners]!.get(row)![0];
    const ids = JSON.stringify(tweets.flatMap((restId) => keys['tweets']!.get(restId) ?? []));
    const upsert = (statements[kind] ??= db.$client.prepare(upsertTweets(kind)));
    upsert.run({ owner, ids, at, firstRank });
  };
}

/** The rows of a list's tweets. A position changes only with a later time: a page that is stored again knows none. */
function upsertTweets(kind: TweetListKind): string {
  const { table, owner, tweet, isGroup, isRanked } = TWEET_RELATIONS[kind];
  const [rank, position, latest] = isRanked
    ? [', rank', ', @firstRank + key', ', rank = iif(excluded.last_seen_at > last_seen_at, excluded.rank, rank)']
    : ['', '', ''];
  return isGroup
    ? `insert into ${table} (${owner}, ${tweet}, first_seen_at)
       select @owner, value, @at from json_each(@ids) where true on conflict do nothing`
    : `insert into ${table} (${owner}, ${tweet}, first_seen_at, last_seen_at${rank})
       select @owner, value, @at, @at${position} from json_each(@ids) where true
       on conflict do update set first_seen_at = min(first_seen_at, @at), last_seen_at = max(last_seen_at, @at)${latest}`;
}
