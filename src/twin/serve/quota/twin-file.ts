import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { type Clock, SECOND } from '../../../base/clock.ts';
import { TrawlError } from '../../../base/errors.ts';
import { openConnection } from '../../../store/sqlite/driver.ts';
import { createPrivateFile, readFileMode, restrictMode } from '../../../store/sqlite/private-file.ts';

export interface TwinFile {
  readonly client: Database.Database;
  /** Adds a callback that writes pending data, within FLUSH_INTERVAL_MS after `scheduleFlush` and on close. */
  onFlush(callback: (now: number) => void): void;
  scheduleFlush(): void;
  close(): void;
}

export interface TwinFileOptions {
  readonly store: string;
  /** Identifies the store: the state of a replaced store is discarded. */
  readonly storeSecret: string;
  readonly clock: Clock;
}

/** A killed process loses at most this time of data. */
export const FLUSH_INTERVAL_MS = SECOND;

const TABLES = `
  create table if not exists facts (key text primary key, value) without rowid;
  create table if not exists blocks (
    id integer primary key, key_id integer not null, twin text not null, version integer not null,
    size integer not null, until integer not null, times text, expires integer not null);
  create index if not exists blocks_version on blocks (version);
  create index if not exists blocks_expires on blocks (expires);
  create table if not exists keys (
    id integer primary key, store text not null, name text not null, hash text not null unique, prefix text not null,
    "limit" integer not null, window_ms integer not null, created_at integer not null, revoked_at integer);
`;

/**
 * Opens or creates the twin file of a store: the keys of the store, and the state of its twins that survives restarts, in
 * a small SQLite file beside the store, with its permissions. The store itself is not written, since its write lock may
 * be held for long and every commit clears the response cache.
 * @throws TrawlError if it cannot be written
 */
export function openTwinFile({ store, storeSecret, clock }: TwinFileOptions): TwinFile {
  const client = openTwinDatabase(store, storeSecret);
  const closing = new AbortController();
  const callbacks: ((now: number) => void)[] = [];
  let isScheduled = false;
  const flush = (): void =>
    client.transaction(() => callbacks.forEach((callback) => callback(clock.now()))).immediate();
  return {
    client,
    onFlush: (callback) => void callbacks.push(callback),
    scheduleFlush() {
      if (isScheduled || closing.signal.aborted) return;
      isScheduled = true;
      clock
        .sleep(FLUSH_INTERVAL_MS, closing.signal)
        .then(() => {
          isScheduled = false;
          flush();
        })
        // Data that cannot be written now is written after the next request.
        .catch(() => undefined);
    },
    close() {
      closing.abort();
      try {
        flush();
      } finally {
        client.close();
      }
    },
  };
}

/** The path of the file. */
export const twinFileOf = (store: string): string => `${store}-quota`;

/** Identifies a store in its twin file. */
export const hashOfStore = (storeSecret: string): string => hash('sha256', storeSecret, 'hex');

/** Opens the database of the file. @throws TrawlError if it cannot be written */
export function openTwinDatabase(store: string, storeSecret: string): Database.Database {
  const path = twinFileOf(store);
  const storeHash = hashOfStore(storeSecret);
  const mode = readFileMode(store);
  createPrivateFile(path, mode);
  // Earlier versions made the files world-readable.
  for (const suffix of ['', '-wal', '-shm']) restrictMode(path + suffix, mode);
  try {
    const client = openConnection(path, { timeout: 5 * SECOND });
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client
      .transaction(() => {
        client.exec(TABLES);
        const storedHash = client.prepare("select value from facts where key = 'store'").pluck().get();
        if (storedHash !== storeHash) client.exec('delete from blocks');
        client.prepare("insert or replace into facts values ('store', ?)").run(storeHash);
        client.prepare("insert or ignore into facts values ('version', 0)").run();
      })
      .immediate();
    return client;
  } catch (error) {
    throw new TrawlError(`cannot open the twin's file ${path}: ${error instanceof Error ? error.message : ''}`, {
      hint: 'It holds the API keys and their quotas, beside the store. Check the permissions of that folder.',
      cause: error,
    });
  }
}
