import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SECOND } from '../../clock.ts';
import { FileReplacedError } from '../../errors.ts';

/** A file by its device and inode: a path may name another file later. Can be sent to another thread. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
}

/** The file that a path names now; undefined where there is none. Takes some 3 us. */
export function identifyFile(path: string): FileIdentity | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && { device: found.dev, inode: found.ino };
}

export const isSameFile = (a: FileIdentity | undefined, b: FileIdentity | undefined): boolean =>
  a !== undefined && b !== undefined && a.device === b.device && a.inode === b.inode;

/** The files of an open database. */
export interface OpenFiles {
  readonly path: string;
  readonly database: FileIdentity | undefined;
  /** Its write-ahead log. */
  readonly logPath: string;
  readonly log: FileIdentity | undefined;
  /** What to do when another file takes its place, unless it is the store of a worker. */
  readonly hint?: string | undefined;
}

/** The files of the database at `path`, which a connection of this process has open until the end. */
export function identifyDatabase(path: string, hint?: string): OpenFiles {
  const logPath = `${existsSync(path) ? realpathSync(path) : resolve(path)}-wal`;
  return { path, database: identifyFile(path), logPath, log: identifyFile(logPath), hint };
}

/** Why a database must not be used any more: its path names another file than when it was opened, or none. */
export function findReplacement(files: OpenFiles): FileReplacedError | undefined {
  const { path, database, hint } = files;
  const now = identifyFile(path);
  if (isSameFile(database, now)) return undefined;
  if (now === undefined) {
    return new FileReplacedError(`${path} was deleted or moved while it was in use`, {
      hint:
        hint ??
        `Nothing was stored since. Move it back, or remove ${path}-wal and ${path}-shm and restore a backup; then start again. Queued crawls are kept.`,
    });
  }
  return new FileReplacedError(`${path} was replaced by another file while it was in use`, {
    hint:
      hint ??
      `Nothing was stored since. Check that it is the right file, and start again. The last pages of the file before may be in ${asideOf(files)}: they go with that file alone.`,
  });
}

/** @throws FileReplacedError */
export function requireInPlace(files: OpenFiles): void {
  const replacement = findReplacement(files);
  if (replacement) throw replacement;
}

/**
 * Renames the write-ahead log of a database that was replaced. SQLite would take the log for that of the new file, and
 * damage it. Where the file is only missing, the log stays: the file may have been moved, and come back.
 */
export function renameOrphanedLog(files: OpenFiles): void {
  const { path, database, logPath, log } = files;
  const now = identifyFile(path);
  if (now === undefined || isSameFile(database, now) || !isSameFile(log, identifyFile(logPath))) return;
  try {
    renameSync(logPath, asideOf(files));
    rmSync(logPath.replace(/-wal$/, '-shm'), { force: true });
  } catch {
    // Another process of the same file was first, or this user may not rename it.
  }
}

/** Every process that had the replaced file open gives its log the same name. */
const asideOf = ({ logPath, database }: OpenFiles): string => `${logPath}.replaced-${database?.inode ?? 0n}`;

/** Looks every second whether the files are in place. `replaced` rejects with FileReplacedError as soon as one is not. */
export function watchFiles(files: readonly OpenFiles[]): Disposable & { readonly replaced: Promise<never> } {
  let timer: NodeJS.Timeout | undefined;
  const replaced = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const [first] = files.map(findReplacement).filter((error) => error !== undefined);
      if (first) reject(first);
    }, SECOND);
  });
  replaced.catch(() => undefined);
  return { replaced, [Symbol.dispose]: () => clearInterval(timer) };
}
