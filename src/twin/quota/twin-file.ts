import { hash } from 'node:crypto';
import Database from 'better-sqlite3';
import { type Clock, SECOND } from '../../clock.ts';
import { TrawlError } from '../../errors.ts';
import { createPrivateFile, readFileMode, restrictMode } from '../../store/sqlite/private-file.ts';

/**
 * What a twin has to know after a restart: a small SQLite file beside the store, with the store's permissions. The store itself is left to whoever
 * crawls into it: its write lock may be held for long, and every commit to it makes kept answers worthless.
 */
export interface TwinFile {
  readonly path: string;
  readonly client: Database.Database;
  /** What is to be written within `LATEST_MS` after each `touch`, and at the end. */
  onFlush(flush: (now: number) => void): void;
  scheduleFlush(): void;
  /** Writes what is left, and closes. */
  close(): void;
}

export interface TwinFileOptions {
  /** The store's file. */
  readonly store: string;
  /** Something that no other store has: what was recorded of a store that this one replaced says nothing. */
  readonly storeSecret: string;
  readonly clock: Clock;
}

/** A process that is killed has written everything that is older. */
export const FLUSH_INTERVAL_MS = SECOND;

const TABLES = `
  create table if not exists facts (key text primary key, value) without rowid;
  create table if not exists blocks (
    id integer primary key, key_id integer not null, twin text not null, version integer not null,
    size integer not null, until integer not null, times text, expires integer not null);
  create index if not exists blocks_version on blocks (version);
  create index if not exists blocks_expires on blocks (expires);
  create table if not exists answered (
    id integer primary key, key_id integer not null, endpoint text not null, at integer not null, status integer not null);
  create index if not exists answered_key on answered (key_id, at);
`;

/** Opens the record of a store's twins, or makes it. @throws TrawlError when it cannot be written. */
export function openTwinFile({ store, storeSecret, clock }: TwinFileOptions): TwinFile {
  const path = `${store}-quota`;
  const mode = readFileMode(store);
  createPrivateFile(path, mode);
  // Versions before this one made them readable by everybody.
  for (const suffix of ['', '-wal', '-shm']) restrictMode(path + suffix, mode);
  const client = open(path, hash('sha256', storeSecret, 'hex'));
  const closing = new AbortController();
  const callbacks: ((now: number) => void)[] = [];
  let isScheduled = false;
  const flush = (): void =>
    client.transaction(() => callbacks.forEach((callback) => callback(clock.now()))).immediate();
  return {
    ...{ path, client },
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
        // What could not be written now, such as to a full disk, is written after the next request.
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

function open(path: string, storeHash: string): Database.Database {
  try {
    const client = new Database(path, { timeout: 5 * SECOND });
    client.pragma('journal_mode = WAL');
    client.pragma('synchronous = NORMAL');
    client
      .transaction(() => {
        client.exec(TABLES);
        const storedHash = client.prepare("select value from facts where key = 'store'").pluck().get();
        if (storedHash !== storeHash) client.exec('delete from blocks; delete from answered');
        client.prepare("insert or replace into facts values ('store', ?)").run(storeHash);
        client.prepare("insert or ignore into facts values ('version', 0)").run();
      })
      .immediate();
    return client;
  } catch (error) {
    throw new TrawlError(`cannot open the quota's record ${path}: ${error instanceof Error ? error.message : ''}`, {
      hint: 'The twin keeps it beside the store: mend the permissions of that folder, or remove the file.',
      cause: error,
    });
  }
}
