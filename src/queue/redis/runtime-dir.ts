import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describeError, TrawlError } from '../../errors.ts';

/** Where the processes that work on one store meet: files named after the store, in a directory of this user alone. */
export interface RuntimeFiles {
  readonly socket: string;
  readonly lock: string;
  readonly log: string;
  readonly embeddedSocket: string;
  readonly embeddedLock: string;
  readonly embeddedPid: string;
}

/**
 * The files for the store in `place`, which every way of writing its path leads to: in `runtimeDir` (XDG_RUNTIME_DIR)
 * where that is fit for it, else in the folder for temporary files. @throws TrawlError when neither is.
 */
export function resolveRuntimeFiles(place: string, runtimeDir?: string): RuntimeFiles {
  const name = createHash('sha256').update(canonical(place)).digest('hex').slice(0, 16);
  const directory = privateDirectory(name, runtimeDir);
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

/** The folder of this user alone. Processes with and without XDG_RUNTIME_DIR meet where the store's server is. */
function privateDirectory(name: string, runtimeDir: string | undefined): string {
  const uid = process.getuid?.() ?? 0;
  const folder = `trawl-${uid}`;
  const temporary = join(tmpdir(), folder);
  const shared = isShort(temporary) ? temporary : join('/tmp', folder);
  if (runtimeDir === undefined || !isFit(runtimeDir, uid) || !isShort(join(runtimeDir, folder)))
    return made(shared, uid);
  const own = join(runtimeDir, folder);
  const isUsed = (directory: string): boolean =>
    isFit(directory, uid) && ['sock', 'own.sock'].some((ending) => existsSync(join(directory, `${name}.${ending}`)));
  return made(!isUsed(own) && isUsed(shared) ? shared : own, uid);
}

const isShort = (directory: string): boolean => Buffer.byteLength(directory) <= LONGEST_DIRECTORY;

/** Whether it is a folder of this user that nobody else may enter. */
function isFit(directory: string, uid: number): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return isAbsolute(directory) && found !== undefined && isOwn(found, uid);
}

const isOwn = (found: Stats, uid: number): boolean =>
  found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;

function made(directory: string, uid: number): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    // What is in its place is looked at below.
    if (!existsSync(directory))
      throw new TrawlError(`cannot make the folder ${directory}: ${describeError(cause)}`, { hint: ELSEWHERE, cause });
  }
  // Everybody may write to the directory above: what is there must be ours, or somebody laid it out for us.
  const found = lstatSync(directory);
  if (isOwn(found, uid)) return directory;
  throw new TrawlError(`${directory} is not a directory that only you can use`, {
    hint:
      found.uid === uid
        ? `Remove it (or: chmod 700 ${directory}), or set REDIS_URL.`
        : `It belongs to another user. ${ELSEWHERE}`,
  });
}

const ELSEWHERE = 'Set TMPDIR or XDG_RUNTIME_DIR to a folder of your own with mode 700, or set REDIS_URL.';

/**
 * Takes a lock between processes, or gives undefined when another has it. It is SQLite's lock on an empty file: the
 * kernel frees it when the process dies in whatever way, so no lock is ever stale.
 */
export function tryFileLock(file: string): Disposable | undefined {
  const acquireFileLock = new Database(file, { timeout: 0 });
  try {
    acquireFileLock.pragma('journal_mode = memory');
    acquireFileLock.exec('begin immediate');
    return { [Symbol.dispose]: () => void acquireFileLock.close() };
  } catch (error) {
    acquireFileLock.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}

const LOCK_RETRY_MS = 20;
const LOCK_PATIENCE_MS = 20_000;

/** Waits for a lock that is only ever held for moments. */
export async function lock(file: string): Promise<Disposable> {
  for (let waited = 0; waited < LOCK_PATIENCE_MS; waited += LOCK_RETRY_MS) {
    const taken = tryFileLock(file);
    if (taken) return taken;
    await delay(LOCK_RETRY_MS);
  }
  throw new TrawlError('another trawl process has been starting or stopping the queue server for too long', {
    hint: 'End it, or set REDIS_URL.',
  });
}
