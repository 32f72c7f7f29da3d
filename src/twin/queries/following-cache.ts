import type { Clock } from '../../clock.ts';

export type FollowingCache = ReturnType<typeof createFollowingCache>;

/**
 * Caches responses of `following` by their parameters for a time (spec, endpoint rule 5). Unlike ResponseCache, it
 * ignores changes of the store, and its responses cost no quota.
 * @param ttlMs how long a response is valid, in milliseconds; 0 disables the cache
 * @param maxBytes the maximum size; the oldest entries are evicted first
 */
export function createFollowingCache({ clock, ttlMs, maxBytes }: { clock: Clock; ttlMs: number; maxBytes: number }) {
  /** In order of creation: the first one expires first. */
  const entries = new Map<string, { readonly body: Buffer; readonly until: number }>();
  let bytes = 0;

  function remove(parameters: string): void {
    bytes -= entries.get(parameters)?.body.length ?? 0;
    entries.delete(parameters);
  }

  return {
    find(parameters: string): Buffer | undefined {
      const entry = entries.get(parameters);
      return entry && clock.now() < entry.until ? entry.body : undefined;
    },
    store(parameters: string, body: Buffer): void {
      if (ttlMs <= 0) return;
      const now = clock.now();
      remove(parameters);
      entries.set(parameters, { body, until: now + ttlMs });
      bytes += body.length;
      for (const [oldest, { until }] of entries) {
        if (bytes <= maxBytes && now < until) return;
        remove(oldest);
      }
    },
  };
}
