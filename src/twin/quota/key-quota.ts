import type { ApiKey } from './keys.ts';
import { createTimeLog, type TimeLog } from './time-log.ts';

export type KeyLimit = Pick<ApiKey, 'id' | 'limit' | 'windowMs'>;

export interface QuotaUsage {
  readonly remaining: number;
  /** When the oldest request leaves the window, in milliseconds UTC; now if nothing is used. */
  readonly resetAt: number;
}

/** Requests per key in a sliding window. */
export interface KeyQuota {
  /** Grants one request and returns 0, or refuses it and returns the milliseconds to wait. */
  take(key: KeyLimit, now: number): number;
  usage(key: KeyLimit, now: number): QuotaUsage;
}

/**
 * A quota in memory with an exact log: a request granted at `t` counts until `t + windowMs`, so that no window ever has
 * more than `limit`. A clock that is set back only extends waits.
 */
export function createMemoryQuota(): KeyQuota {
  const logs = new Map<number, TimeLog>();
  const logOf = (key: KeyLimit, now: number): TimeLog => {
    let log = logs.get(key.id);
    if (!log) logs.set(key.id, (log = createTimeLog()));
    log.removeUntil(now - key.windowMs);
    return log;
  };
  return {
    take(key, now) {
      const log = logOf(key, now);
      if (log.size < key.limit) {
        log.add(now);
        return 0;
      }
      // After a lower limit was set, several requests have to expire first.
      return log.at(log.size - key.limit) + key.windowMs - now;
    },
    usage(key, now) {
      const log = logOf(key, now);
      return {
        remaining: Math.max(0, key.limit - log.size),
        resetAt: log.size === 0 ? now : log.at(0) + key.windowMs,
      };
    },
  };
}
