import type { Db } from '#store/sqlite/database.ts';
import { prepareBeginImmediate } from '#store/sqlite/write-lock.ts';

/** The begin of each connection. */
const begins = new WeakMap<Db, () => void>();

/** Runs `fn` in a transaction that takes fair turns with other processes. */
export function runInTransaction<T>(db: Db, fn: () => T): T {
  const begin = begins.get(db) ?? prepareBeginImmediate(db);
  begins.set(db, begin);
  begin();
  try {
    const result = fn();
    db.$client.exec('commit');
    return result;
  } catch (error) {
    if (db.$client.inTransaction) db.$client.exec('rollback');
    throw error;
  }
}
