import { UsageError } from '../base/errors.ts';
import type { Store } from '../store/store.ts';
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
