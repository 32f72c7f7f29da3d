import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { tryFileLock } from '#store/sqlite/file-lock.ts';

const ATTEMPTS = 3;

/** Takes the lock of the process that ships a store to a target; undefined if another process has it. */
export const tryShipLock = (path: string, targetId: number): Disposable | undefined =>
  tryLock(`${path}.ship-${targetId}`);

/** Takes a lock whose file exists while it is held; after a kill, until the next process has held it. */
export function tryLock(file: string): Disposable | undefined {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    closeSync(openSync(file, 'a', 0o600));
    const inode = readInode(file);
    const lock = tryFileLock(file);
    if (!lock) return undefined;
    if (inode !== undefined && inode === readInode(file)) {
      return {
        [Symbol.dispose]() {
          // While it is locked: whoever has opened it meanwhile sees that it is gone.
          rmSync(file, { force: true });
          lock[Symbol.dispose]();
        },
      };
    }
    // The process that had the lock has removed the file meanwhile.
    lock[Symbol.dispose]();
  }
  return undefined;
}

const readInode = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino;
