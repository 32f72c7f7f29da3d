import type { ChangeToken } from '../../store/sqlite/change-detector.ts';

export type ResponseCache = ReturnType<typeof createResponseCache>;

/**
 * Caches response bodies while the store is unchanged. Every commit to the store clears the cache, so that a response
 * is never older than the store.
 * @param state identifies the current state of the store
 * @param maxBytes the size of the cache; entries are evicted by last use
 */
export function createResponseCache({ state, maxBytes }: { state: () => ChangeToken; maxBytes: number }) {
  /** In order of last use; the order is not maintained while less than half of the size is used. */
  const bodies = new Map<string, Buffer>();
  let bytes = 0;
  let cachedState = state();

  return {
    find(name: string): Buffer | undefined {
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
    /** Caches a body that was created in the same turn of the event loop as `find`. */
    store(name: string, body: Buffer): void {
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
