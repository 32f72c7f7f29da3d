import { UsageError } from '#base/errors.ts';
import type { Store } from '#store/store.ts';
import { toExpectedError } from './run/expected-error.ts';
import type { TrawlStore } from './types.ts';

/** The internal interface of an open store. */
export interface StoreHandle {
  readonly store: Store;
  /** Registers a run, worker or server, which is closed before the store. It is unregistered when it has ended. */
  own(part: { close(): Promise<void>; readonly ended: Promise<unknown> }): void;
}

export const HANDLE = Symbol('handle');
export type LibraryStore = TrawlStore & { readonly [HANDLE]: () => StoreHandle };

/** Returns the internal interface of a store. @throws UsageError if the object was not opened by this library, or is closed. */
export function getStoreHandle(store: TrawlStore): StoreHandle {
  if (!(HANDLE in store)) throw new UsageError('this is not a store', { hint: 'Open it with openStore().' });
  return (store as LibraryStore)[HANDLE]();
}

/** Converts errors of the database, Redis and the system to TrawlErrors; returns other errors unchanged. */
export const toTypedError = (thrown: unknown): Error =>
  toExpectedError(thrown) ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Calls `fn`. Its errors are converted by {@link toTypedError}. */
export async function withTypedErrors<T>(fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    throw toTypedError(error);
  }
}
