import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, TrawlError, UsageError } from '../../base/errors.ts';
import { FACT_TABLE_NAMES, type FactTableName } from '../../store/outbox/fact-tables.ts';
import { tryLock } from '../worker/ship-lock.ts';
import { factFilePath, formatRecord, isBeyond, recordPath, RECORDS } from './lake-files.ts';
import { type Lake, type LakeWriter, type ShippedStore, TargetUnavailableError } from './lake.ts';

/** Where files are until they are complete. */
const PARTIAL = '_partial';

/** The folder of the files that a store is writing. */
const partialFolder = (lake: string, store: string): string => join(lake, PARTIAL, store);

/** Opens a lake in a folder. */
export const openFolderLake = (lake: string): Lake => ({
  async prepare() {
    try {
      mkdirSync(lake, { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new UsageError(`cannot create ${lake}: ${describeError(cause)}`, { cause });
    }
  },
  openWriter: async (store) => openWriter(lake, store),
  readStore: async (store) => readRecord(lake, store),
  readStores: async () =>
    listNames(join(lake, RECORDS))
      .filter((name) => name.endsWith('.json'))
      .toSorted()
      .map((name) => readRecord(lake, name.slice(0, -'.json'.length))!),
  list: async (table) => listFiles(lake, table),
  read: (path) => readFile(join(lake, path)),
  async replace(path, file) {
    await rename(file, join(lake, path));
    await syncFolder(dirname(join(lake, path)));
  },
  scratch: partialFolder(lake, 'purge'),
  lock: () => lockWriter(lake, 'purge'),
});

/** @throws TargetUnavailableError while another process writes the files of the store */
function openWriter(lake: string, store: string): LakeWriter {
  const lock = lockWriter(lake, store);
  if (!lock) throw new TargetUnavailableError(`another process ships facts of the store ${store} to ${lake}`);
  removeUnsealed(lake, store);
  return {
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
      await writeRecord(lake, record);
    },
    async [Symbol.asyncDispose]() {
      lock[Symbol.dispose]();
    },
  };
}

/** Returns what a lake has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
function readRecord(lake: string, store: string): ShippedStore | undefined {
  const path = join(lake, recordPath(store));
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ShippedStore;
  } catch (cause) {
    throw new TrawlError(`cannot read ${path}`, { hint: 'Restore it from a backup of the lake.', cause });
  }
}

/** Seals the entries of a store: from now on, its files up to this entry count. */
async function writeRecord(lake: string, record: ShippedStore): Promise<void> {
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
function lockWriter(lake: string, store: string): Disposable | undefined {
  mkdirSync(join(lake, PARTIAL), { recursive: true, mode: 0o700 });
  return tryLock(`${partialFolder(lake, store)}.lock`);
}

/** Deletes what a killed process left: unfinished files, and files beyond the last sealed entry. */
function removeUnsealed(lake: string, store: string): void {
  rmSync(partialFolder(lake, store), { recursive: true, force: true });
  const sealed = readRecord(lake, store)?.entry ?? 0;
  for (const path of FACT_TABLE_NAMES.flatMap((table) => listFiles(lake, table)))
    if (isBeyond(path, store, sealed)) rmSync(join(lake, path));
}

/** Returns the paths of the files of a table, relative to the lake. */
const listFiles = (lake: string, table: FactTableName): string[] =>
  listNames(join(lake, table)).flatMap((day) =>
    listNames(join(lake, table, day))
      .filter((name) => name.endsWith('.parquet'))
      .map((name) => `${table}/${day}/${name}`),
  );

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
