import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/** Readable and writable by the owner only. */
const OWNER_ONLY = 0o600;

/**
 * Creates an empty file with this mode unless there is one: SQLite takes an empty file for a new database, and gives
 * `-wal` and `-shm` its mode. Where it cannot be created, the program that opens it next says why.
 */
export function createPrivateFile(path: string, mode = OWNER_ONLY): void {
  try {
    closeSync(openSync(path, 'wx', mode));
  } catch {
    // It is there, or opening it fails for the same reason.
  }
}

/** Takes from a file the permissions that `mode` lacks. A file that is missing or another user's stays as it is. */
export function restrictMode(path: string, mode: number): void {
  try {
    const current = statSync(path).mode & 0o777;
    if ((current & ~mode) !== 0) chmodSync(path, current & mode);
  } catch {
    // Nothing to restrict here.
  }
}

/** The permissions of a file; the owner's only where there is none. */
export const readFileMode = (path: string): number =>
  (statSync(path, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY) & 0o777;
