import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Db, openDatabase } from '../../src/store/sqlite/database.ts';
import { createWorld } from '../../src/twin/world/create-world.ts';
import type { WorldSummary } from '../../src/twin/world/summary.ts';
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
export function emptyStore(): Db {
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
