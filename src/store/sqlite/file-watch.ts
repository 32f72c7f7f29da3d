import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SECOND } from '#base/clock.ts';
import { FileReplacedError } from '#base/errors.ts';

/**
 * Returns the device and the inode of the file that a path names now, since it may name another one later; undefined if there
 * is none. Takes about 3 us.
 */
export function identifyFile(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}-${found.ino}`;
}

/** The files of an open database. */
export interface OpenFiles {
  readonly path: string;
  readonly database: string | undefined;
  /** Its write-ahead log. */
  readonly logPath: string;
  readonly log: string | undefined;
  /** The hint when the file is replaced; by default, that for the store of a worker. */
  readonly hint?: string | undefined;
}

/** Identifies the files of the database at `path`, which must be open. */
export function identifyDatabase(path: string, hint?: string): OpenFiles {
  const logPath = `${existsSync(path) ? realpathSync(path) : resolve(path)}-wal`;
  return { path, database: identifyFile(path), logPath, log: identifyFile(logPath), hint };
}

/** Returns an error if the path of a database names another file than when it was opened, or none. */
export function findReplacement(files: OpenFiles): FileReplacedError | undefined {
  const { path, database, hint } = files;
  const now = identifyFile(path);
  if (now === undefined) {
    return new FileReplacedError(`${path} was deleted or moved while it was in use`, {
      hint:
        hint ??
        `Nothing was stored since. Move it back, or remove ${path}-wal and ${path}-shm and restore a backup; then start again. Queued crawls are kept.`,
    });
  }
  if (now === database) return undefined;
  return new FileReplacedError(`${path} was replaced by another file while it was in use`, {
    hint:
      hint ??
      `Nothing was stored since. Check that it is the right file, and start again. The last pages of the file before may be in ${orphanedLogOf(files)}, which belongs only to that file.`,
  });
}

/** @throws FileReplacedError */
export function requireInPlace(files: OpenFiles): void {
  const replacement = findReplacement(files);
  if (replacement) throw replacement;
}

/**
 * Renames the write-ahead log of a replaced database, since SQLite would apply it to the new file. The log of a missing
 * file stays, since the file may be moved back.
 */
export function renameOrphanedLog(files: OpenFiles): void {
  const { path, database, logPath, log } = files;
  const now = identifyFile(path);
  if (now === undefined || now === database || log === undefined || log !== identifyFile(logPath)) return;
  try {
    renameSync(logPath, orphanedLogOf(files));
    rmSync(logPath.replace(/-wal$/, '-shm'), { force: true });
  } catch {
    // Another process has renamed it, or this user may not rename it.
  }
}

/** The new name of the log of a replaced file, the same in every process. */
const orphanedLogOf = ({ logPath, database }: OpenFiles): string => `${logPath}.replaced-${database}`;

/** Checks the files every second. `replaced` rejects with FileReplacedError when one was replaced. */
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
