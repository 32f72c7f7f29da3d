import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { TrawlError } from '../errors.ts';

/** Where the processes that work on one store meet: files named after the store, in a directory of this user alone. */
export interface PrivateFiles {
  readonly socket: string;
  readonly lock: string;
  readonly log: string;
  readonly embeddedSocket: string;
  readonly embeddedLock: string;
  readonly embeddedPid: string;
}

/** The files for the store in `place`, which every way of writing its path leads to. */
export function privateFiles(place: string): PrivateFiles {
  const directory = privateDirectory();
  const name = createHash('sha256').update(canonical(place)).digest('hex').slice(0, 16);
  const file = (ending: string): string => join(directory, `${name}.${ending}`);
  return {
    socket: file('sock'),
    lock: file('lock'),
    log: file('log'),
    embeddedSocket: file('own.sock'),
    embeddedLock: file('own.lock'),
    embeddedPid: file('own.pid'),
  };
}

function canonical(place: string): string {
  const path = resolve(place);
  for (const [existing, rest] of [
    [path, ''],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(existing), rest);
    } catch {
      // Not there yet: its directory, or else the path as written, is its identity.
    }
  }
  return path;
}

/** The path of a unix socket may have about 104 bytes; the names of the files take 30 of them. */
const LONGEST_DIRECTORY = 70;

function privateDirectory(): string {
  const uid = process.getuid?.() ?? 0;
  const name = `trawl-${uid}`;
  const wanted = join(tmpdir(), name);
  const directory = Buffer.byteLength(wanted) <= LONGEST_DIRECTORY ? wanted : join('/tmp', name);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Everybody may write to the directory above: what is there must be ours, or somebody laid it out for us.
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new TrawlError(`${directory} is not a directory that only you can use`, {
      hint: `Remove it (or: chmod 700 ${directory}), or set REDIS_URL.`,
    });
  }
  return directory;
}

/**
 * Takes a lock between processes, or gives undefined when another has it. It is SQLite's lock on an empty file: the
 * kernel frees it when the process dies in whatever way, so no lock is ever stale.
 */
export function tryLock(file: string): Disposable | undefined {
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.pragma('journal_mode = memory');
    lock.exec('begin immediate');
    return { [Symbol.dispose]: () => void lock.close() };
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

const LOCK_RETRY_MS = 20;
const LOCK_PATIENCE_MS = 20_000;

/** Waits for a lock that is only ever held for moments. */
export async function lock(file: string): Promise<Disposable> {
  for (let waited = 0; waited < LOCK_PATIENCE_MS; waited += LOCK_RETRY_MS) {
    const taken = tryLock(file);
    if (taken) return taken;
    await delay(LOCK_RETRY_MS);
  }
  throw new TrawlError('another trawl process has been starting or stopping the queue server for too long', {
    hint: 'End it, or set REDIS_URL.',
  });
}
