import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';
import type { AccountNames } from './selection/erased-identity.ts';
import { compareTombstones } from './tombstones-file.ts';
import type { MentionsPolicy } from './tombstones.ts';

/** An erasure that has begun. The store keeps it until the rows are erased, so that a killed erasure is finished. */
export interface PendingErasure {
  readonly accounts: AccountNames;
  readonly mentions: MentionsPolicy;
}

const KEY = 'pending_erasure';

/** Returns the erasure whose rows are not erased yet. */
export function readPendingErasure(client: Database.Database): PendingErasure | undefined {
  const text = client.prepare<[string], string>('select value from _settings where key = ?').pluck().get(KEY);
  return text === undefined ? undefined : (JSON.parse(text) as PendingErasure);
}

export const setPendingErasure = (client: Database.Database, erasure: PendingErasure): void =>
  void client.prepare('insert into _settings (key, value) values (?, ?)').run(KEY, JSON.stringify(erasure));

export const removePendingErasure = (client: Database.Database): void =>
  void client.prepare('delete from _settings where key = ?').run(KEY);

/**
 * Erasures by other databases of a lake. Their tombstones are added beside workers: from then on, no page stores these
 * accounts. The rows that are there are erased as soon as no other process has the file open.
 */
export interface ImportedErasures {
  /** The last entry with an erasure of each store whose tombstones are here. */
  readonly entries: Readonly<Record<string, number>>;
  /** Rows of these accounts are still here. */
  readonly isDue: boolean;
}

const IMPORTED = 'imported_erasures';

export function readImportedErasures(client: Database.Database): ImportedErasures {
  const text = client.prepare<[string], string>('select value from _settings where key = ?').pluck().get(IMPORTED);
  return text === undefined ? { entries: {}, isDue: false } : (JSON.parse(text) as ImportedErasures);
}

export const setImportedErasures = (client: Database.Database, imported: ImportedErasures): void =>
  void client
    .prepare('insert or replace into _settings (key, value) values (?, ?)')
    .run(IMPORTED, JSON.stringify(imported));

/** Records that all erasures are finished: no rows of these accounts are left. */
export function settleErasures({ $client }: Db, at: number): void {
  const { entries, isDue } = readImportedErasures($client);
  if (isDue) setImportedErasures($client, { entries, isDue: false });
  $client.prepare('update _erasures set finished_at = ? where finished_at is null').run(at);
}

/** Whether erased rows may remain in free pages of the file. */
const needsCompaction = (client: Database.Database): boolean =>
  client.prepare('select 1 from _erasures where finished_at is null').get() !== undefined;

/** What is left to do of the erasures of a store. */
export interface ErasureState {
  /** An erasure was killed, or the file of tombstones has erasures that the store lacks. */
  readonly isUnfinished: boolean;
  /** Accounts that other databases have forgotten are still here: they are erased when no other process has the store open. */
  readonly isDue: boolean;
  /** The tombstones that only the file beside the store has: the store is an older copy. */
  readonly onlyFile: number;
  /** The tombstones that the file lacks. */
  readonly onlyStore: number;
}

export const NOTHING_TO_ERASE: ErasureState = { isUnfinished: false, isDue: false, onlyFile: 0, onlyStore: 0 };

/** Reads the state of a store at `path`. In a missing store and in one of an earlier version, nothing is left to do. */
export function readErasureState(path: string): ErasureState {
  if (!existsSync(path) || !statSync(path).isFile()) return NOTHING_TO_ERASE;
  using db = openReadOnly(path);
  const { $client } = db;
  const hasErasures = $client.prepare("select 1 from sqlite_schema where name = '_erasures'").get() !== undefined;
  if (!hasErasures) return NOTHING_TO_ERASE;
  const compared = compareTombstones($client, path);
  const { isDue } = readImportedErasures($client);
  const isKilled = readPendingErasure($client) !== undefined || (needsCompaction($client) && !isDue);
  return { ...compared, isDue, isUnfinished: isKilled || compared.onlyFile > 0 };
}
