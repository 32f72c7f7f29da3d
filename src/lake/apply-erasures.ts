import { TargetUnavailableError } from '#base/errors.ts';
import type { S3Variables } from '#files/s3/s3-settings.ts';
import { type ErasureOptions, finishErasures } from '#store/erasure/erase-accounts.ts';
import { importErasures } from '#store/erasure/imported-erasures.ts';
import { readErasureState, readImportedErasures } from '#store/erasure/pending-erasure.ts';
import type { Tombstone } from '#store/erasure/tombstones.ts';
import type { FactTableName } from '#store/outbox/fact-tables.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import type { FactLine } from './files/fact-file.ts';
import { type FactPart, readLakeContent } from './files/lake-content.ts';
import type { Lake, ShippedStore } from './files/lake.ts';
import { openLake } from './files/open-lake.ts';

type ReadPart = (part: FactPart, tables: readonly FactTableName[]) => AsyncIterable<FactLine>;

/** Returns the tombstones in files, in their order. */
export async function readTombstones(parts: readonly FactPart[], read: ReadPart): Promise<Tombstone[]> {
  const tombstones: Tombstone[] = [];
  for (const part of parts.filter(({ hasErasures }) => hasErasures))
    for await (const { facts } of read(part, ['erasures']))
      for (const [erasedAt, key, hash, mentions] of facts.erasures ?? [])
        tombstones.push({ erasedAt, key, hash, mentions } as Tombstone);
  return tombstones;
}

/** The last entry with an erasure of each store. */
const findLastErasures = (stores: readonly ShippedStore[]): Record<string, number> =>
  Object.fromEntries(stores.flatMap(({ store, erasures }) => (erasures.length > 0 ? [[store, erasures.at(-1)!]] : [])));

/** Returns the stores with later erasures than those of some entries. */
const findLater = (last: Readonly<Record<string, number>>, entries: ShippedStore['applied'] = {}): string[] =>
  Object.keys(last).filter((store) => last[store]! > (entries[store] ?? -1));

/** Returns the other stores whose erasures a store has not applied, as far as its record says. */
export const listMissingErasures = ({ store, applied }: ShippedStore, stores: readonly ShippedStore[]): string[] =>
  findLater(findLastErasures(stores.filter((other) => other.store !== store)), applied);

/**
 * Adds the tombstones of a lake that a store lacks: also its own, which it lacks if it comes from a backup.
 * @returns the entries whose erasures are applied; undefined while rows of these accounts are left
 */
export async function applyErasures(db: Db, lake: Lake, at: number): Promise<ShippedStore['applied']> {
  const content = await readLakeContent(lake);
  const last = findLastErasures(content.stores);
  const { entries } = readImportedErasures(db.$client);
  const later = findLater(last, entries);
  if (later.length > 0) {
    const parts = await Promise.all(later.map(content.listParts));
    const added = parts.flat().filter(({ store, last: entry }) => entry > (entries[store] ?? -1));
    importErasures(db, await readTombstones(added, (part, tables) => part.read(tables)), last, at);
  }
  const imported = readImportedErasures(db.$client);
  return imported.isDue ? undefined : imported.entries;
}

export interface EraseOptions extends Pick<ErasureOptions, 'path' | 'now' | 'signal'> {
  readonly address: string;
  readonly variables: S3Variables;
}

/**
 * Applies the erasures of a lake, and erases their accounts if no other process has the store open. Returns whether rows of them
 * are left. A lake that does not answer changes nothing.
 */
export async function eraseForgotten({ address, variables, ...options }: EraseOptions): Promise<boolean> {
  {
    using db = openDatabase(options.path);
    try {
      await applyErasures(db, await openLake(address, variables), options.now());
    } catch (error) {
      if (!(error instanceof TargetUnavailableError)) throw error;
    }
  }
  await finishErasures({ ...options, onProgress: () => undefined });
  return readErasureState(options.path).isDue;
}
