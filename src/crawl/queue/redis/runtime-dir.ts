import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { describeError, TrawlError } from '#base/errors.ts';

/** The files that processes of one store share: named after the store, in a directory of this user only. */
export type RuntimeFiles = Readonly<ReturnType<typeof resolveRuntimeFiles>>;

/**
 * Returns the shared files of a store, the same for every spelling of its path: in `runtimeDir` (XDG_RUNTIME_DIR) if it
 * is private and short enough, else in the folder for temporary files. @throws TrawlError if neither can be used
 */
export function resolveRuntimeFiles(storePath: string, runtimeDir?: string) {
  const name = createHash('sha256').update(canonicalPath(storePath)).digest('hex').slice(0, 16);
  const directory = choosePrivateDirectory(name, runtimeDir);
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

function canonicalPath(storePath: string): string {
  const path = resolve(storePath);
  for (const [existing, rest] of [
    [path, ''],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(existing), rest);
    } catch {
      // A missing file is identified by its directory, or else by its path as written.
    }
  }
  return path;
}

/** The path of a unix socket may have about 104 bytes, of which the name of the file takes 30. */
const MAX_DIRECTORY_BYTES = 70;

/** Chooses the folder. A process with XDG_RUNTIME_DIR uses the other folder if the server of the store is there. */
function choosePrivateDirectory(name: string, runtimeDir: string | undefined): string {
  const uid = process.getuid?.() ?? 0;
  const folder = `trawl-${uid}`;
  const temporary = join(tmpdir(), folder);
  const shared = isShort(temporary) ? temporary : join('/tmp', folder);
  if (runtimeDir === undefined || !isPrivateDirectory(runtimeDir, uid) || !isShort(join(runtimeDir, folder)))
    return createPrivateDirectory(shared, uid);
  const own = join(runtimeDir, folder);
  const isUsed = (directory: string): boolean =>
    isPrivateDirectory(directory, uid) &&
    ['sock', 'own.sock'].some((ending) => existsSync(join(directory, `${name}.${ending}`)));
  return createPrivateDirectory(!isUsed(own) && isUsed(shared) ? shared : own, uid);
}

const isShort = (directory: string): boolean => Buffer.byteLength(directory) <= MAX_DIRECTORY_BYTES;

/** Whether a path is a folder of this user that no other user may enter. */
function isPrivateDirectory(directory: string, uid: number): boolean {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  return isAbsolute(directory) && found !== undefined && isPrivate(found, uid);
}

const isPrivate = (found: Stats, uid: number): boolean =>
  found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0;

function createPrivateDirectory(directory: string, uid: number): string {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    // An existing file is checked below.
    if (!existsSync(directory))
      throw new TrawlError(`cannot create the folder ${directory}: ${describeError(cause)}`, {
        hint: ELSEWHERE,
        cause,
      });
  }
  // Every user may write to the parent directory, so that the folder may belong to another user.
  const found = lstatSync(directory);
  if (isPrivate(found, uid)) return directory;
  throw new TrawlError(`${directory} is not a directory that only you can use`, {
    hint:
      found.uid === uid
        ? `Remove it (or: chmod 700 ${directory}), or set REDIS_URL.`
        : `It belongs to another user. ${ELSEWHERE}`,
  });
}

const ELSEWHERE = 'Set TMPDIR or XDG_RUNTIME_DIR to a folder of your own with mode 700, or set REDIS_URL.';
