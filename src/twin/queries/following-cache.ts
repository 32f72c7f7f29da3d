import type { Clock } from '../../clock.ts';

/**
 * Caches responses of `following` for a time (spec, endpoint rule 5). Unlike ResponseCache, it ignores changes of the
 * store, and its responses cost no quota.
 */
export interface FollowingCache {
  /** Returns the cached body of these parameters while it is valid. */
  find(parameters: string): Buffer | undefined;
  store(parameters: string, body: Buffer): void;
}

export interface FollowingCacheOptions {
  readonly clock: Clock;
  /** How long a response is valid, in milliseconds; 0 disables the cache. */
  readonly ttlMs: number;
  /** Maximum size in bytes; the oldest entries are evicted first. */
  readonly maxBytes: number;
}

export function createFollowingCache({ clock, ttlMs, maxBytes }: FollowingCacheOptions): FollowingCache {
  /** In order of creation: the first one expires first. */
  const entries = new Map<string, { readonly body: Buffer; readonly until: number }>();
  let bytes = 0;

  function remove(parameters: string): void {
    bytes -= entries.get(parameters)?.body.length ?? 0;
    entries.delete(parameters);
  }

  return {
    find(parameters) {
      const entry = entries.get(parameters);
      return entry && clock.now() < entry.until ? entry.body : undefined;
    },
    store(parameters, body) {
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
