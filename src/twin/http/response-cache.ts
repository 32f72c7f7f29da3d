import type { ChangeToken } from '../../store/sqlite/change-detector.ts';

/**
 * Bodies of answers that were given, for as long as the store stays as it was: what is asked again, of a list or of
 * anybody, is sent from memory. A commit of anybody forgets all of them, so that none is ever older than the store.
 */
export interface ResponseCache {
  /** The body that was kept under this name. */
  find(name: string): Buffer | undefined;
  /** Keeps a body that was made after it was looked for, in the same turn of the event loop. */
  store(name: string, body: Buffer): void;
}

export interface ResponseCacheOptions {
  /** Tells one state of the store from another. */
  readonly state: () => ChangeToken;
  /** How much is kept: of more than half of it, the bodies that were asked for last. */
  readonly maxBytes: number;
}

export function createResponseCache({ state, maxBytes }: ResponseCacheOptions): ResponseCache {
  /** In the order of their last use, as far as it matters: while there is much room, nothing has to go. */
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

/** About what an entry takes besides its bytes. */
const ENTRY_OVERHEAD = 200;
const sizeOf = (name: string, body: Buffer): number => name.length + body.length + ENTRY_OVERHEAD;
