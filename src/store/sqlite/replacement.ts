import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { TrawlError } from '#base/errors.ts';
import { type Db, openDatabase } from './database.ts';
import { requireSpace } from './disk-space.ts';
import { openConnection } from './driver.ts';
import { createPrivateFile } from './private-file.ts';

/** A new file that replaces that of a store. Until `swap`, and after a crash, the old file is unchanged. */
export interface Replacement extends Disposable {
  /** A compacted copy of the store. The old one is attached as `old`. */
  readonly db: Db;
  /** Replaces the old file atomically. */
  swap(): void;
}

/** The byte of a SQLite file with its read version, and a version that no SQLite can read. */
const READ_VERSION_OFFSET = 19;
const UNREADABLE = Buffer.from([255]);

/**
 * Creates a replacement of the store at `path`. The old store is locked until the replacement is disposed of.
 * @param check is called with the locked store as `old`, before it is copied
 * @throws TrawlError if the space does not suffice, or if another process has it open; what `check` throws
 */
export function openReplacement(path: string, check?: (store: Pick<Db, '$client'>) => void): Replacement {
  const file = realpathSync(path);
  const hint = 'Nothing was changed. Free space, and try again.';
  requireSpace('new file of the database', { path: file, needed: computeSpace(file), hint });
  // Migrates the old store, so that its rows fit.
  openDatabase(file).$client.close();
  const fresh = `${file}.rebuild-${process.pid}`;
  rmSync(fresh, { force: true });
  let connection: Database.Database | undefined;
  const abandon = (): void => {
    connection?.close();
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  };
  const attach = (client: Database.Database): void => {
    connection = client;
    client.prepare('attach ? as old').run(file);
    lockExclusively(client, file, 'old');
  };
  let made: Db;
  try {
    const copier = openConnection(':memory:');
    attach(copier);
    check?.({ $client: copier });
    removeLeftovers(fresh, file);
    createPrivateFile(fresh);
    copier.prepare('vacuum old into ?').run(fresh);
    const copied = readChangeCounter(file);
    copier.close();
    made = openDatabase(fresh);
    attach(made.$client);
    // Between the two locks, another process may have written.
    if (readChangeCounter(file) !== copied) throw inUseError(file);
    chmodSync(fresh, statSync(file).mode);
    // The renamed file must be complete in itself. It is synchronised once, at the end.
    for (const pragma of ['journal_mode = delete', 'synchronous = off', 'cache_size = -65536'])
      made.$client.pragma(`main.${pragma}`);
  } catch (error) {
    abandon();
    throw error;
  }
  let isDone = false;
  return {
    db: made,
    swap() {
      replaceFile(fresh, file);
      isDone = true;
      made.$client.close();
    },
    [Symbol.dispose]() {
      if (!isDone) abandon();
    },
  };
}

/** Replaces the file of a store, which the caller has locked, by one that no connection writes to. */
export function replaceFile(fresh: string, file: string): void {
  if (existsSync(`${fresh}-wal`) || existsSync(`${fresh}-journal`)) throw new Error(`${fresh} is not at rest`);
  const old = openSync(file, 'r+');
  const isShared = statSync(file).nlink > 1;
  syncFile(fresh);
  renameSync(fresh, file);
  syncFile(dirname(file));
  // A process that has opened the old file and waits for its lock would write to a lost file: SQLite refuses it now.
  if (!isShared) writeSync(old, UNREADABLE, 0, 1, READ_VERSION_OFFSET);
  closeSync(old);
}

/** What a new file needs besides the rows: its first tables and their log, and the rollback journal. */
const SPARE_BYTES = 4e6;

/** The bytes that a replacement needs beside the store: it has no free pages. */
const computeSpace = (file: string): number => Math.max(0, measureFiles(file) - readFreeBytes(file)) + SPARE_BYTES;

/** Opening a file may need space, so that its header is read. */
function readHeader(file: string): Buffer {
  const header = Buffer.alloc(100);
  const fd = openSync(file, 'r');
  readSync(fd, header);
  closeSync(fd);
  return header;
}

/** Changes with each transaction on a file without a write-ahead log. */
const readChangeCounter = (file: string): number => readHeader(file).readUInt32BE(24);

/** The bytes of the free pages of a file. */
function readFreeBytes(file: string): number {
  const header = readHeader(file);
  const pageSize = header.readUInt16BE(16);
  // 65,536 does not fit.
  return header.readUInt32BE(36) * (pageSize === 1 ? 65_536 : pageSize);
}

/** The bytes of a store's file and its write-ahead log. */
export const measureFiles = (file: string): number =>
  statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);

/** Removes files of killed rebuilds: only this process has the store open. */
function removeLeftovers(fresh: string, file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    const isOurs = name.startsWith(basename(fresh));
    if (name.startsWith(`${basename(file)}.rebuild-`) && !isOurs) rmSync(join(folder, name), { force: true });
  }
}

/** Writes a file, or the names in a folder, to the disk. */
export function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}

/** Maximum wait in ms for a lock that a command may hold for a moment after its end. */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Locks a database file against all other processes until the connection closes. The file leaves WAL mode, so that no
 * other file belongs to it. @throws TrawlError if another process has it open
 */
export function lockExclusively(client: Database.Database, path: string, schema = 'main'): void {
  client.pragma(`busy_timeout = ${LOCK_TIMEOUT_MS}`);
  try {
    const mode = client.pragma(`${schema}.journal_mode = delete`, { simple: true });
    client.pragma(`${schema}.locking_mode = exclusive`);
    client.exec('begin exclusive; commit');
    if (mode === 'delete') return;
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error;
  }
  throw inUseError(path);
}

/** Another process has the store open. */
export class StoreInUseError extends TrawlError {
  override readonly name = 'StoreInUseError';
}

const inUseError = (path: string): StoreInUseError =>
  new StoreInUseError(`${path} is in use`, {
    hint: 'Stop its workers, its twin and whatever else has it open, and try again.',
  });
