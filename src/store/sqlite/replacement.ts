import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { type Db, openDatabase } from './database.ts';
import { openConnection } from './driver.ts';
import { lockExclusively } from './exclusive-lock.ts';
import { createPrivateFile } from './private-file.ts';

/** A new file that replaces that of a store. Until `swap`, and after a crash, the old file is unchanged. */
export interface Replacement extends Disposable {
  /** The new store. If it began empty, the old one is attached as `old`. */
  readonly db: Db;
  /** Replaces the old file atomically. */
  swap(): void;
}

/** The byte of a SQLite file with its read version, and a version that no SQLite can read. */
const READ_VERSION_OFFSET = 19;
const UNREADABLE = Buffer.from([255]);

/**
 * Creates a replacement of the store at `path`, with empty tables or as a copy. The old store is locked until the
 * replacement is disposed of. @throws TrawlError if another process has it open
 */
export function openReplacement(path: string, from: 'nothing' | 'copy'): Replacement {
  const file = realpathSync(path);
  // Migrates the old store, so that its rows fit.
  openDatabase(file).$client.close();
  const fresh = `${file}.rebuild-${process.pid}`;
  rmSync(fresh, { force: true });
  const db = from === 'nothing' ? openDatabase(fresh) : undefined;
  const holder = db?.$client ?? openConnection(':memory:');
  const connections: Database.Database[] = [holder];
  const close = (): void => connections.forEach((connection) => connection.close());
  const abandon = (): void => {
    close();
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  };
  let made: Db;
  try {
    holder.prepare('attach ? as old').run(file);
    lockExclusively(holder, file, 'old');
    removeLeftovers(fresh, file);
    if (!db) {
      createPrivateFile(fresh);
      holder.prepare('vacuum old into ?').run(fresh);
    }
    made = db ?? openDatabase(fresh);
    if (!db) connections.push(made.$client);
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
      if (existsSync(`${fresh}-wal`) || existsSync(`${fresh}-journal`)) throw new Error(`${fresh} is not at rest`);
      const old = openSync(file, 'r+');
      const isShared = statSync(file).nlink > 1;
      syncFile(fresh);
      renameSync(fresh, file);
      syncFile(dirname(file));
      isDone = true;
      // A process that has opened the old file and waits for its lock would write to a lost file: SQLite refuses it now.
      if (!isShared) writeSync(old, UNREADABLE, 0, 1, READ_VERSION_OFFSET);
      closeSync(old);
      close();
    },
    [Symbol.dispose]() {
      if (!isDone) abandon();
    },
  };
}

/** Removes files of killed rebuilds: only this process has the store open. */
function removeLeftovers(fresh: string, file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    const isOurs = name.startsWith(basename(fresh));
    if (name.startsWith(`${basename(file)}.rebuild-`) && !isOurs) rmSync(join(folder, name), { force: true });
  }
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
