import { TrawlError } from '../../errors.ts';
import { describeStorageError } from '../../store/sqlite/database-errors.ts';
import {
  compareSchemaVersion,
  type Db,
  laterVersionError,
  openReadOnly,
  requireTables,
  upgradeRequiredError,
} from '../../store/sqlite/database.ts';
import { hint } from './command-hints.ts';

/** Runs `fn` on an existing store, opened read-only. @throws TrawlError if it is no store, or of another version. */
export const readStore = <T>(path: string, fn: (db: Db) => T | Promise<T>): Promise<T> =>
  withReadOnlyStore(path, async (db) => {
    requireVersion(db, path);
    return await fn(db);
  });

/** @throws TrawlError if there is no such store: opening it for writing would create tables in a new or foreign file. */
export const requireStore = (path: string): Promise<void> => withReadOnlyStore(path, async () => undefined);

async function withReadOnlyStore<T>(path: string, fn: (db: Db) => Promise<T>): Promise<T> {
  using db = openReadOnly(path);
  try {
    requireTables(db, path);
    return await fn(db);
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  }
}

/** Reading commands do not migrate: a store may have many gigabytes. */
function requireVersion(db: Db, path: string): void {
  const version = compareSchemaVersion(db.$client);
  if (version === 'newer') throw laterVersionError(path);
  if (version === 'before') throw upgradeRequiredError(path);
  if (version === 'older') {
    throw new TrawlError(`${path} was created by an earlier version of trawl`, {
      hint: `Make a backup; then any command that writes, such as ${hint('work')}, migrates it first.`,
    });
  }
}
