import type { ChangeToken } from '#store/sqlite/change-detector.ts';

/** Approximate overhead of an entry in bytes. */
const ENTRY_OVERHEAD = 200;

/** Caches bytes up to a size; entries are evicted by last use. */
export function createByteCache<K extends string | number>(maxBytes: number) {
  /** In order of last use; the order is not maintained while less than half of the size is used. */
  const entries = new Map<K, Buffer>();
  let size = 0;
  const sizeOf = (key: K, bytes: Buffer): number => String(key).length + bytes.length + ENTRY_OVERHEAD;

  function remove(key: K): void {
    const bytes = entries.get(key);
    if (bytes && entries.delete(key)) size -= sizeOf(key, bytes);
  }

  return {
    find(key: K): Buffer | undefined {
      const bytes = entries.get(key);
      if (bytes && size * 2 > maxBytes) {
        entries.delete(key);
        entries.set(key, bytes);
      }
      return bytes;
    },
    store(key: K, bytes: Buffer): void {
      remove(key);
      entries.set(key, bytes);
      size += sizeOf(key, bytes);
      for (const oldest of entries.keys()) {
        if (size <= maxBytes) return;
        remove(oldest);
      }
    },
    remove,
    clear(): void {
      entries.clear();
      size = 0;
    },
  };
}

/** Caches bytes while the store is unchanged: every commit clears the cache, so that a response is never older than the store. */
export function createStateCache<K extends string | number>(maxBytes: number) {
  const cache = createByteCache<K>(maxBytes);
  let cachedState: ChangeToken | undefined;
  return {
    ...cache,
    /** Begins a read of a state of the store. What is stored next is of this state. */
    beginRead(state: ChangeToken): void {
      if (state !== cachedState) cache.clear();
      cachedState = state;
    },
  };
}
