import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Files that belong to a store and hold no data of accounts: keys of the twin, and tombstones. SQLite's own files are emptied. */
const KNOWN = ['', '-wal', '-shm', '-journal', '-quota', '-quota-wal', '-quota-shm', '.tombstones'];

/** Returns the files whose names begin with that of the store, such as copies: an erasure leaves them as they are. */
export function listFilesBeside(path: string): string[] {
  const file = realpathSync(path);
  const name = basename(file);
  return readdirSync(dirname(file))
    .filter((each) => each.startsWith(name) && !KNOWN.includes(each.slice(name.length)))
    .map((each) => join(dirname(file), each))
    .toSorted();
}
