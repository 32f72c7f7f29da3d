import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TrawlError } from '../../errors.ts';
import { FACT_TABLE_NAMES } from '../facts/fact-tables.ts';
import type { ShippedStore } from '../targets/fact-target.ts';
import { tryLock } from '../worker/ship-lock.ts';
import type { LakePlace } from './lake-content.ts';
import { factFilePath, formatRecord, isBeyond, recordPath, RECORDS } from './lake-files.ts';
import type { LakeStorage } from './lake-storage.ts';

/** A lake in a folder. */

/** Where files are until they are complete. */
const PARTIAL = '_partial';

/** The folder of the files that a store is writing. */
const partialFolder = (lake: string, store: string): string => join(lake, PARTIAL, store);

/** Returns what a lake has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
export function readLakeStore(lake: string, store: string): ShippedStore | undefined {
  const path = join(lake, recordPath(store));
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ShippedStore;
  } catch (cause) {
    throw new TrawlError(`cannot read ${path}`, { hint: 'Restore it from a backup of the lake.', cause });
  }
}

/** Returns what a lake has of all its stores. */
export const readLakeStores = (lake: string): ShippedStore[] =>
  listNames(join(lake, RECORDS))
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => readLakeStore(lake, name.slice(0, -'.json'.length))!);

/** Returns where the files of a store in a folder are written and named. */
export const createFolderStorage = (lake: string, store: string): LakeStorage => ({
  partial: partialFolder(lake, store),
  async publish(files, record) {
    const folders = new Set<string>();
    for (const { path, place } of files) {
      const target = join(lake, factFilePath(place));
      mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      await rename(path, target);
      folders.add(dirname(target));
    }
    for (const each of folders) await syncFolder(each);
    await writeLakeStore(lake, record);
  },
});

/** Seals the entries of a store: from now on, its files up to this entry count. */
async function writeLakeStore(lake: string, record: ShippedStore): Promise<void> {
  const path = join(lake, recordPath(record.store));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.partial`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(formatRecord(record));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Takes the lock of the process that writes the files of a store; undefined if another process of this machine has it. */
export function lockLakeStore(lake: string, store: string): Disposable | undefined {
  mkdirSync(join(lake, PARTIAL), { recursive: true, mode: 0o700 });
  return tryLock(`${partialFolder(lake, store)}.lock`);
}

/** Deletes what a killed process left: unfinished files, and files beyond the last sealed entry. */
export function removeUnsealed(lake: string, store: string): void {
  rmSync(partialFolder(lake, store), { recursive: true, force: true });
  const sealed = readLakeStore(lake, store)?.entry ?? 0;
  for (const table of FACT_TABLE_NAMES)
    for (const day of listNames(join(lake, table)))
      for (const name of listNames(join(lake, table, day)))
        if (isBeyond(name, store, sealed)) rmSync(join(lake, table, day, name));
}

/** Returns the files of a lake in a folder. */
export const openFolderPlace = (lake: string): LakePlace => ({
  scratch: partialFolder(lake, 'purge'),
  lock: () => lockLakeStore(lake, 'purge'),
  list: async (table) =>
    listNames(join(lake, table)).flatMap((day) =>
      listNames(join(lake, table, day))
        .filter((name) => name.endsWith('.parquet'))
        .map((name) => `${table}/${day}/${name}`),
    ),
  read: (path) => readFile(join(lake, path)),
  async replace(path, file) {
    await rename(file, join(lake, path));
    await syncFolder(dirname(join(lake, path)));
  },
});

const listNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Writes the names of a folder to disk. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // Some file systems cannot do this; they write names in order.
  } finally {
    await folder?.close();
  }
}
