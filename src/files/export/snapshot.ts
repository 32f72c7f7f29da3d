import { systemClock } from '#base/clock.ts';
import { describeStorageError } from '#store/sqlite/database-errors.ts';
import { type Db, openReadOnly, requireCurrentVersion, requireTables } from '#store/sqlite/database.ts';
import { readStoreId } from '#store/store-id.ts';

/**
 * A read-only connection within one transaction: all reads of a command see the store as of `takenAt`, while crawls commit.
 * A checkpoint cannot pass it, so that the write-ahead log grows until it is closed.
 */
export interface Snapshot extends Disposable {
  readonly db: Db;
  readonly path: string;
  /** The random id of the store; null for a generated world that no crawl has opened. */
  readonly storeId: string | null;
  /** Milliseconds UTC. */
  readonly takenAt: number;
}

/**
 * The file is not mapped: the mapped pages of a large store would count as memory of the process.
 * @throws TrawlError if the file is missing, is no store, or is of another version
 */
export function openSnapshot(path: string, now = systemClock.now): Snapshot {
  const db = openReadOnly(path, { isMapped: false });
  try {
    requireTables(db, path);
    requireCurrentVersion(db, path);
    db.$client.exec('begin');
    const takenAt = now();
    // The first read begins the snapshot.
    const storeId = readStoreId(db) ?? null;
    return { db, path, storeId, takenAt, [Symbol.dispose]: () => void db.$client.close() };
  } catch (error) {
    db.$client.close();
    throw describeStorageError(error, path) ?? error;
  }
}
