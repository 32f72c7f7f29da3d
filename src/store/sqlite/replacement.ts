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
import Database from 'better-sqlite3';
import { TrawlError } from '../../errors.ts';
import { type Db, openDatabase } from './database.ts';
import { createPrivateFile } from './private-file.ts';

/** A new file that is to take the place of a store's. Until `swap`, and after a crash, the old one is as it was. */
export interface Replacement extends Disposable {
  /** The new store. Where it began empty, the old one is attached to it as `old`. */
  readonly db: Db;
  /** Puts the new file in the place of the old one: at any instant, either is there whole. */
  swap(): void;
}

/** For how long at most a command that has just ended may still hold the store. */
const PATIENCE_MS = 2000;
/** The byte of a SQLite file that says which readers understand it, and what none does. */
const READERS = 19;
const NOBODY = Buffer.from([255]);

/**
 * Begins a replacement of the store at `path`, with nothing in it but tables, or as a copy. Nobody else can read or write
 * the old one until this is disposed of. @throws TrawlError when somebody has it open.
 */
export function openReplacement(path: string, from: 'nothing' | 'copy'): Replacement {
  const file = realpathSync(path);
  // Its tables are brought up to date first: what is copied fits.
  openDatabase(file).$client.close();
  const fresh = `${file}.rebuild-${process.pid}`;
  rmSync(fresh, { force: true });
  const db = from === 'nothing' ? openDatabase(fresh) : undefined;
  const holder = db?.$client ?? new Database(':memory:');
  const owned: Database.Database[] = [holder];
  const close = (): void => owned.forEach((one) => one.close());
  const leave = (): void => {
    close();
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(fresh + suffix, { force: true });
  };
  let made: Db;
  try {
    hold(holder, file);
    removeLeftovers(fresh, file);
    if (!db) {
      createPrivateFile(fresh);
      holder.prepare('vacuum old into ?').run(fresh);
    }
    made = db ?? openDatabase(fresh);
    if (!db) owned.push(made.$client);
    chmodSync(fresh, statSync(file).mode);
    // Nothing beside the file itself when it is renamed; and nothing waits for the disk before the end.
    for (const pragma of ['journal_mode = delete', 'synchronous = off', 'cache_size = -65536'])
      made.$client.pragma(`main.${pragma}`);
  } catch (error) {
    leave();
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
      // Whoever opened the old file meanwhile and waits for it would write where nobody reads. It holds it for none.
      if (!isShared) writeSync(old, NOBODY, 0, 1, READERS);
      closeSync(old);
      close();
    },
    [Symbol.dispose]() {
      if (!isDone) leave();
    },
  };
}

/** Attaches the old file as `old`, for this connection alone. Out of WAL mode, whose files a rename would leave behind. */
function hold(client: Database.Database, file: string): void {
  client.prepare('attach ? as old').run(file);
  client.pragma(`busy_timeout = ${PATIENCE_MS}`);
  try {
    const mode = client.pragma('old.journal_mode = delete', { simple: true });
    client.pragma('old.locking_mode = exclusive');
    client.exec('begin exclusive; commit');
    if (mode === 'delete') return;
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('SQLITE_BUSY')) throw error;
  }
  throw new TrawlError(`${file} is in use`, {
    hint: 'Stop its workers, its twin and whatever else has it open, and try again.',
  });
}

/** What a rebuild left that was killed: this one alone has the store now. */
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
