import type { Clock } from '../../../base/clock.ts';
import { createByteCache } from '../byte-cache.ts';

export type FollowingCache = ReturnType<typeof createFollowingCache>;

/**
 * Caches responses of `following` by their parameters for a time (spec, endpoint rule 5). Unlike other responses, they
 * outlive changes of the store and cost no quota.
 * @param ttlMs how long a response is valid, in milliseconds; 0 disables the cache
 */
export function createFollowingCache({ clock, ttlMs, maxBytes }: { clock: Clock; ttlMs: number; maxBytes: number }) {
  const cache = createByteCache<string>(maxBytes);
  /** When responses expire, the first one first. */
  const expiries = new Map<string, number>();
  return {
    find: (parameters: string): Buffer | undefined =>
      clock.now() < (expiries.get(parameters) ?? 0) ? cache.find(parameters) : undefined,
    store(parameters: string, body: Buffer): void {
      if (ttlMs <= 0) return;
      const now = clock.now();
      cache.store(parameters, body);
      expiries.delete(parameters);
      expiries.set(parameters, now + ttlMs);
      for (const [oldest, until] of expiries) {
        if (now < until) return;
        cache.remove(oldest);
        expiries.delete(oldest);
      }
    },
  };
}
