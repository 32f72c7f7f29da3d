import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { type Db, openDatabase, openReadOnly, requireCurrentVersion, requireTables } from '#store/sqlite/database.ts';

/** Runs `fn` on an existing store, opened read-only. @throws TrawlError if it is no store, or of another version. */
export const readStore = <T>(path: string, fn: (db: Db) => T | Promise<T>): Promise<T> =>
  withReadOnlyStore(path, async (db) => {
    requireCurrentVersion(db, path);
    return await fn(db);
  });

/** @throws TrawlError if there is no such store: opening it for writing would create tables in a new or foreign file. */
export const requireStore = (path: string): Promise<void> => withReadOnlyStore(path, async () => undefined);

/** Opens an existing store for writing. @throws TrawlError if there is no such store: its path may be mistyped */
export async function openExistingDatabase(path: string): Promise<ReturnType<typeof openDatabase>> {
  await requireStore(path);
  return openDatabase(path);
}

async function withReadOnlyStore<T>(path: string, fn: (db: Db) => Promise<T>): Promise<T> {
  using db = openReadOnly(path);
  try {
    requireTables(db, path);
    return await fn(db);
  } catch (error) {
    throw describeStorageError(error, path) ?? error;
  }
}
