import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TrawlError } from '../../errors.ts';
import { FACT_TABLE_NAMES, type FactTableName } from '../facts/fact-tables.ts';
import type { ShippedStore } from '../targets/fact-target.ts';

/**
 * A lake is a folder of sealed Parquet files: `<table>/day=<day>/<store>-<first entry>-<last entry>-<part>.parquet`. For each
 * store, `_stores/<store>.json` has the last entry that is sealed: files beyond it are of a process that was killed.
 */
const DIGITS = 15;
const NAME = /^(.+)-(\d{15})-(\d{15})-\d+\.parquet$/;
const pad = (entry: number): string => String(entry).padStart(DIGITS, '0');

/** The place of a file. */
export interface FactFilePlace {
  readonly table: FactTableName;
  /** When its entries were recorded: `2026-01-31`, UTC. */
  readonly day: string;
  readonly store: string;
  readonly first: number;
  readonly last: number;
  readonly part: number;
}

export const factFilePath = (lake: string, { table, day, store, first, last, part }: FactFilePlace): string =>
  join(lake, table, `day=${day}`, `${store}-${pad(first)}-${pad(last)}-${part}.parquet`);

const storePath = (lake: string, store: string): string => join(lake, '_stores', `${store}.json`);

/** The folder of the files that a store is writing. */
export const partialFolder = (lake: string, store: string): string => join(lake, '_partial', store);

/** Returns what a lake has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
export function readLakeStore(lake: string, store: string): ShippedStore | undefined {
  const path = storePath(lake, store);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ShippedStore;
  } catch (cause) {
    throw new TrawlError(`cannot read ${path}`, { hint: 'Restore it from a backup of the lake.', cause });
  }
}

/** Returns what a lake has of all its stores. */
export const readLakeStores = (lake: string): ShippedStore[] =>
  listNames(join(lake, '_stores'))
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => readLakeStore(lake, name.slice(0, -'.json'.length))!);

/** Seals the entries of a store: from now on, its files up to this entry count. */
export async function writeLakeStore(lake: string, record: ShippedStore): Promise<void> {
  const path = storePath(lake, record.store);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.partial`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Deletes what a killed process left: unfinished files, and files beyond the last sealed entry. */
export function removeUnsealed(lake: string, store: string): void {
  rmSync(partialFolder(lake, store), { recursive: true, force: true });
  const sealed = readLakeStore(lake, store)?.entry ?? 0;
  for (const table of FACT_TABLE_NAMES)
    for (const day of listNames(join(lake, table)))
      for (const name of listNames(join(lake, table, day))) {
        const [, owner, , last] = NAME.exec(name) ?? [];
        if (owner === store && Number(last) > sealed) rmSync(join(lake, table, day, name));
      }
}

const listNames = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Writes the names of a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
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
