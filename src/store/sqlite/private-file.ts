import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** Readable and writable by the owner only. */
const OWNER_ONLY = 0o600;

/**
 * Creates an empty file with a mode unless it exists. SQLite treats an empty file as a new database, and gives `-wal` and
 * `-shm` its mode. Errors are ignored, since opening the file reports them.
 */
export function createPrivateFile(path: string, mode = OWNER_ONLY): void {
  try {
    closeSync(openSync(path, 'wx', mode));
  } catch {
    // It exists, or opening it fails for the same reason.
  }
}

/** Removes the permissions of a file that `mode` lacks. Missing files and those of other users are ignored. */
export function restrictMode(path: string, mode: number): void {
  try {
    const current = statSync(path).mode & 0o777;
    if ((current & ~mode) !== 0) chmodSync(path, current & mode);
  } catch {
    // Missing, or of another user.
  }
}

/** The permissions of a file; those of a private file if it is missing. */
export const readFileMode = (path: string): number =>
  (statSync(path, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY) & 0o777;
