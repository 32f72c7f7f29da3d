import { UsageError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { TrawlStore } from './types.ts';

/** The internal side of an open store. */
export interface StoreHandle {
  readonly store: Store;
  /** Registers a run, worker or server: closing the store closes it first. It is forgotten when it has ended by itself. */
  own(part: { close(): Promise<void>; readonly ended: Promise<unknown> }): void;
}

export const HANDLE = Symbol('handle');
export type LibraryStore = TrawlStore & { readonly [HANDLE]: () => StoreHandle };

/** Returns the internal side of a store of this library. @throws UsageError if it is another object, or was closed. */
export function getStoreHandle(store: TrawlStore): StoreHandle {
  if (!(HANDLE in store)) throw new UsageError('this is not a store', { hint: 'Open it with openStore().' });
  return (store as LibraryStore)[HANDLE]();
}
