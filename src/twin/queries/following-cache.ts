import type { Clock } from '../../clock.ts';

/**
 * Answers of `following` that are given again without a new call upstream, for a time (spec, endpoint rule 5). Unlike
 * `Answers`, they stay as they are when the store changes, and cost no quota.
 */
export interface FollowingCache {
  /** The body that was kept for these parameters, while it is valid. */
  find(parameters: string): Buffer | undefined;
  /** Keeps a body that was just made. */
  store(parameters: string, body: Buffer): void;
}

export interface FollowingCacheOptions {
  readonly clock: Clock;
  /** How long an answer is valid; 0 keeps none. */
  readonly ttlMs: number;
  /** How many bytes of bodies are kept: the oldest go first. */
  readonly maxBytes: number;
}

export function createFollowingCache({ clock, ttlMs, maxBytes }: FollowingCacheOptions): FollowingCache {
  /** In the order in which they were made: the first one expires first. */
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
