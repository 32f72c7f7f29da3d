import type Database from 'better-sqlite3';
import { SECOND } from '#base/clock.ts';
import { describeError, TrawlError } from '#base/errors.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { createPrivateFile, readFileMode, restrictMode } from '#store/sqlite/private-file.ts';

const TABLES = `
  create table if not exists grants (
    key_id integer not null, expires_at integer not null, count integer not null, primary key (key_id, expires_at)) without rowid;
  create table if not exists keys (
    id integer primary key, store text not null, name text not null, hash text not null unique, prefix text not null,
    "limit" integer not null, window_ms integer not null, created_at integer not null, revoked_at integer);
`;

/** The path of the twin file of a store. */
export const twinFileOf = (store: string): string => `${store}-quota`;

/**
 * Opens or creates the twin file of a store: its API keys and their used quotas, in a small SQLite file beside the store,
 * with its permissions. The store itself is not written, since its write lock may be held for long and every commit
 * clears the response cache.
 * @throws TrawlError if it cannot be written
 */
export function openTwinFile(store: string): Database.Database {
  const path = twinFileOf(store);
  const mode = readFileMode(store);
  createPrivateFile(path, mode);
  // Earlier versions made the files world-readable.
  for (const suffix of ['', '-wal', '-shm']) restrictMode(path + suffix, mode);
  try {
    const client = openConnection(path, { timeout: 5 * SECOND });
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client.exec(TABLES);
    return client;
  } catch (error) {
    throw new TrawlError(`cannot open the twin's file ${path}: ${describeError(error)}`, {
      hint: 'It holds the API keys and their quotas, beside the store. Check the permissions of that folder.',
      cause: error,
    });
  }
}
