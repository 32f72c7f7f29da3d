import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Db, type OpenDb, openDatabase } from '#store/sqlite/database.ts';
import { createWorld, type WorldSummary } from '#twin/world/create-world.ts';
import { createStoreFile } from '../support/store-file.ts';

/** Every table that a world fills. */
export const TABLES = [
  'users',
  'follows',
  'tweets',
  'media',
  'tweet_hashtags',
  'tweet_mentions',
  'tweet_links',
  'communities',
  'community_tweets',
  'lists',
  'list_tweets',
] as const;

/** An empty store, closed when the test ends. */
export function emptyStore(): OpenDb {
  const db = openDatabase(createStoreFile());
  onTestFinished(() => void db.$client.close());
  return db;
}

/** A world in a store of its own. */
export async function makeWorld(users: number, seed: number): Promise<{ db: Db; summary: WorldSummary }> {
  const db = emptyStore();
  return { db, summary: await createWorld({ db, users, seed }) };
}

/** All rows of a query. */
export const all = <T = Record<string, unknown>>(db: Db, query: string): T[] => db.$client.prepare(query).all() as T[];

/** The one number that a query gives. */
export const number = (db: Db, query: string): number => db.$client.prepare(query).pluck().get() as number;

/** A fingerprint of every column of every row. */
export function digest(db: Db): string {
  const hash = createHash('sha256');
  for (const table of TABLES) {
    for (const row of db.$client.prepare(`select * from ${table} order by 1, 2`).raw().iterate())
      hash.update(JSON.stringify(row));
  }
  return hash.digest('hex');
}

/** Queries that find inconsistencies in any world. */
export const INCONSISTENCIES: Readonly<Record<string, string>> = {
  'a follower count that is not the number of edges':
    'select id from users u where followers_count <> (select count(*) from follows where followee_id = u.id and ended_at is null)',
  'a following count that is not the number of edges':
    'select id from users u where following_count <> (select count(*) from follows where follower_id = u.id and ended_at is null)',
  'a status count that is not the number of tweets':
    'select id from users u where statuses_count <> (select count(*) from tweets where author_id = u.id)',
  'a media count that is not the number of tweets with media':
    'select id from users u where media_count <> (select count(*) from tweets where author_id = u.id and has_media)',
  'a reply count that is not the number of replies':
    'select id from tweets t where reply_count <> (select count(*) from tweets where in_reply_to_status_rest_id = t.rest_id)',
  'an account that follows itself': 'select follower_id from follows where follower_id = followee_id',
  'a tweet without author, or older than its author':
    'select t.id from tweets t left join users u on u.id = author_id where u.id is null or t.created_at <= u.created_at',
  'ids that do not grow with time': `select id from (select id, created_at, cast(rest_id as integer) as n, lag(cast(rest_id as integer)) over (order by id) as before,
       lag(created_at) over (order by id) as earlier from tweets) where n <= before or created_at <= earlier`,
  'media that contradict has_media':
    'select id from tweets t where has_media <> exists (select 1 from media where tweet_id = t.id)',
  'a handle of two accounts': 'select 1 from users group by lower(screen_name) having count(*) > 1',
};
