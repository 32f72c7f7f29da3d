import { openQuery, type SqlValue } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { openReadOnly, requireTables } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { HANDLE, type LibraryStore, type StoreHandle } from './store-handle.ts';
import type { SqlCell, SqlRow, TrawlStore } from './types.ts';

/**
 * Opens a store.
 *
 * @param path the file of the store.
 * @param options `create`: whether a missing file is created, accessible to its owner only; false by default.
 * @throws TrawlError if the file is missing and `create` is not set, or if it is not a store that this version can open.
 */
export function openLibraryStore(path: string, options: { readonly create?: boolean } = {}): TrawlStore {
  if (!options.create) requireStoreFile(path);
  const store = openStore(path);
  const parts = new Set<{ close(): Promise<void> }>();
  let closing: Promise<void> | undefined;
  const handle: StoreHandle = {
    store,
    own(part) {
      parts.add(part);
      const forget = (): void => void parts.delete(part);
      part.ended.then(forget, forget);
    },
  };
  const requireOpen = (): void => {
    if (closing) throw new UsageError(`the store ${path} is closed`);
  };
  async function closeAll(): Promise<void> {
    const results = await Promise.allSettled([...parts].map((part) => part.close()));
    await store[Symbol.asyncDispose]();
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
  const close = (): Promise<void> => (closing ??= closeAll());
  const opened: LibraryStore = {
    path,
    *query(sql, parameters) {
      requireOpen();
      using query = openQuery({ db: path, sql, parameters });
      for (const values of query.rows) yield toRow(query.columns, values);
    },
    close,
    [Symbol.asyncDispose]: close,
    [HANDLE]() {
      requireOpen();
      return handle;
    },
  };
  return opened;
}

/** @throws TrawlError if the file is missing or has no tables of a store. */
function requireStoreFile(path: string): void {
  using db = openReadOnly(path);
  requireTables(db, path);
}

const toRow = (columns: readonly string[], values: readonly SqlValue[]): SqlRow =>
  Object.fromEntries(columns.map((column, i) => [column, toCell(values[i]!)]));

/** Converts integers to numbers, unless that would lose digits. */
function toCell(value: SqlValue): SqlCell {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
