import type { ChangeToken } from '../../store/sqlite/change-detector.ts';

/**
 * Caches response bodies while the store is unchanged. Every commit to the store clears the cache, so that a response
 * is never older than the store.
 */
export interface ResponseCache {
  find(name: string): Buffer | undefined;
  /** Caches a body that was created in the same turn of the event loop as `find`. */
  store(name: string, body: Buffer): void;
}

export interface ResponseCacheOptions {
  /** Identifies the current state of the store. */
  readonly state: () => ChangeToken;
  /** Size of the cache. From half of it on, entries are evicted by last use. */
  readonly maxBytes: number;
}

export function createResponseCache({ state, maxBytes }: ResponseCacheOptions): ResponseCache {
  /** In order of last use; the order is not maintained while less than half is used. */
  const bodies = new Map<string, Buffer>();
  let bytes = 0;
  let cachedState = state();

  return {
    find(name) {
      const now = state();
      if (now !== cachedState) {
        bodies.clear();
        bytes = 0;
        cachedState = now;
      }
      const body = bodies.get(name);
      if (body && bytes * 2 > maxBytes) {
        bodies.delete(name);
        bodies.set(name, body);
      }
      return body;
    },
    store(name, body) {
      bodies.set(name, body);
      bytes += sizeOf(name, body);
      for (const [oldest, oldestBody] of bodies) {
        if (bytes <= maxBytes) return;
        bodies.delete(oldest);
        bytes -= sizeOf(oldest, oldestBody);
      }
    },
  };
}

/** Approximate overhead of an entry in bytes. */
const ENTRY_OVERHEAD = 200;
const sizeOf = (name: string, body: Buffer): number => name.length + body.length + ENTRY_OVERHEAD;
