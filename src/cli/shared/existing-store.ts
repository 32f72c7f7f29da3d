import { TrawlError } from '../../errors.ts';
import { describeStorageError, foreignFileError } from '../../store/sqlite/database-errors.ts';
import {
  compareSchemaVersion,
  type Db,
  laterVersionError,
  openReadOnly,
  upgradeRequiredError,
} from '../../store/sqlite/database.ts';
import { hint } from './command-hints.ts';

/** Runs `fn` on an existing store, opened read-only. @throws TrawlError if it is no store, or of another version. */
export async function readStore<T>(path: string, fn: (db: Db) => T | Promise<T>): Promise<T> {
  const db = openReadOnly(path);
  try {
    requireTables(db, path);
    requireAge(db, path);
    return await fn(db);
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  } finally {
    db.$client.close();
  }
}

/** @throws TrawlError if there is no such store: opening it for writing would create tables in a new or foreign file. */
export function requireStore(path: string): void {
  const db = openReadOnly(path);
  try {
    requireTables(db, path);
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  } finally {
    db.$client.close();
  }
}

function requireTables({ $client }: Db, path: string): void {
  if ($client.prepare("select 1 from sqlite_schema where name = 'crawls'").get() !== undefined) return;
  throw foreignFileError(path);
}

/** Reading commands do not migrate: a store may have many gigabytes. */
function requireAge(db: Db, path: string): void {
  const age = compareSchemaVersion(db.$client);
  if (age === 'newer') throw laterVersionError(path);
  if (age === 'before') throw upgradeRequiredError(path);
  if (age === 'older') {
    throw new TrawlError(`${path} was created by an earlier version of trawl`, {
      hint: `Make a backup; then any command that writes, such as ${hint('work')}, migrates it first.`,
    });
  }
}
