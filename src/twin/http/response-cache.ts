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
  const kept = new Map<string, Buffer>();
  let bytes = 0;
  let keptAt = state();

  return {
    find(name) {
      const now = state();
      if (now !== keptAt) {
        kept.clear();
        bytes = 0;
        keptAt = now;
      }
      const body = kept.get(name);
      if (body && bytes * 2 > maxBytes) {
        kept.delete(name);
        kept.set(name, body);
      }
      return body;
    },
    store(name, body) {
      kept.set(name, body);
      bytes += sizeOf(name, body);
      for (const [oldest, its] of kept) {
        if (bytes <= maxBytes) return;
        kept.delete(oldest);
        bytes -= sizeOf(oldest, its);
      }
    },
  };
}

/** About what an entry takes besides its bytes. */
const BESIDE = 200;
const sizeOf = (name: string, body: Buffer): number => name.length + body.length + BESIDE;
