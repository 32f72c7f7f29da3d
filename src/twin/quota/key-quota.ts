import type { ApiKey } from './keys.ts';
import { createTimeLog, type TimeLog } from './time-log.ts';

/** What the quota needs to know of a key. */
export type KeyLimit = Pick<ApiKey, 'id' | 'limit' | 'windowMs'>;

export interface QuotaUsage {
  /** Requests left now. */
  readonly remaining: number;
  /** When the oldest request leaves the window, so that quota frees; now when nothing is used. */
  readonly resetAt: number;
}

/** Requests per key in a sliding window. */
export interface KeyQuota {
  /** Grants and counts one request (0), or refuses it and says in how many milliseconds one would be granted. */
  take(key: KeyLimit, now: number): number;
  usage(key: KeyLimit, now: number): QuotaUsage;
}

/**
 * An exact log of granted requests, for as long as the process lives: one granted at `t` counts until `t + windowMs`, so that no half-open window of that
 * length ever holds more than `limit`. A clock set back only makes callers wait longer.
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
      // After the limit was lowered, several have to leave before one may come.
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
