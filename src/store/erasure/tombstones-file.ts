import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import type Database from 'better-sqlite3';
import { TrawlError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import type { Db } from '#store/sqlite/database.ts';
import { addTombstones, listErasureKeys, type Tombstone } from './tombstones.ts';

/**
 * The file beside a store with the keys and the hashes of its tombstones, and no identity: `<database>.tombstones`. An older
 * copy of the store that is restored lacks the erasures since, and learns of them from this file.
 */
interface TombstonesFile {
  readonly version: 2;
  readonly tombstones: readonly Tombstone[];
}

const OWNER_ONLY = 0o600;

const fileOf = (path: string): string => `${existsSync(path) ? realpathSync(path) : path}.tombstones`;

/** Returns the tombstones in the file of a store. @throws TrawlError if it cannot be read */
function readTombstonesFile(path: string): TombstonesFile['tombstones'] {
  const file = fileOf(path);
  if (!existsSync(file)) return [];
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as TombstonesFile;
    if (content.version !== 2) throw new Error(`it has the version ${String(content.version)}`);
    return content.tombstones;
  } catch (cause) {
    throw new TrawlError(`cannot read the tombstones in ${file}: ${(cause as Error).message}`, {
      hint: 'Restore the file from a backup, or move it away: then erasures made since the backup of the database are unknown.',
      cause,
    });
  }
}

const listHashes = (client: Database.Database): Set<string> =>
  new Set(client.prepare<[], string>('select hash from _tombstones').pluck().all());

/** The number of tombstones that only the file of a store has, and of those that only the store has. */
export function compareTombstones(client: Database.Database, path: string): { onlyFile: number; onlyStore: number } {
  const filed = new Set(readTombstonesFile(path).map(({ hash }) => hash));
  const stored = listHashes(client);
  const countMissing = (from: ReadonlySet<string>, to: ReadonlySet<string>): number =>
    [...from].filter((hash) => !to.has(hash)).length;
  return { onlyFile: countMissing(filed, stored), onlyStore: countMissing(stored, filed) };
}

/**
 * Adds the erasures to a store that only its file has, without an end: `finishErasures` then erases what the store has of
 * these accounts. Returns whether there were any. @throws TrawlError if the file has other keys
 */
export function applyTombstonesFile(db: Db, path: string): boolean {
  const filed = readTombstonesFile(path);
  const keys = listErasureKeys(db);
  if (filed.length > 0 && keys.length > 0 && !filed.some(({ key }) => keys.includes(key))) {
    throw new TrawlError(`${fileOf(path)} has tombstones of another database`, {
      hint: 'Move it away, or move the database to another folder.',
    });
  }
  return db.$client.transaction(() => addTombstones(db, filed))();
}

/** Writes the tombstones of a store to its file, completely or not at all. */
export function writeTombstonesFile(db: Db, path: string): void {
  const tombstones = db.$client
    .prepare<[], Tombstone>(
      `select e.erased_at as erasedAt, e.key, t.hash, e.mentions from _tombstones t join _erasures e on e.id = t.erasure_id
       order by e.id, t.hash`,
    )
    .all();
  if (tombstones.length === 0) return;
  const content: TombstonesFile = { version: 2, tombstones };
  const file = fileOf(path);
  removeAbandonedFiles(file);
  const fresh = file + temporarySuffix(process.pid);
  const descriptor = openSync(fresh, 'w', OWNER_ONLY);
  try {
    chmodSync(fresh, OWNER_ONLY);
    writeFileSync(descriptor, `${JSON.stringify(content)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(fresh, file);
}
