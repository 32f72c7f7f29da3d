import type { ApiKey } from './keys.ts';
import { createTimeLog, type TimeLog } from './time-log.ts';
import type { TwinFile } from './twin-file.ts';

export type KeyLimit = Pick<ApiKey, 'id' | 'limit' | 'windowMs'>;

export interface QuotaUsage {
  readonly remaining: number;
  /** When the oldest request leaves the window, in milliseconds UTC; now if nothing is used. */
  readonly resetAt: number;
}

export type KeyQuota = ReturnType<typeof createKeyQuota>;

interface Account {
  readonly windowMs: number;
  /** The times of grants, and those that are not written yet. */
  readonly grants: TimeLog;
  unwritten: number[];
}

/**
 * Creates the quota of requests per key in a sliding window, for one twin at a time. It survives restarts: grants are
 * written within a second. A killed twin forgets those of its last second.
 */
export function createKeyQuota({ client, onFlush, scheduleFlush }: TwinFile) {
  const insert = client.prepare('insert into grants (key_id, times, expires) values (?, ?, ?)');
  const select = client.prepare<[number], string>('select times from grants where key_id = ? order by id').pluck();
  const deleteExpired = client.prepare('delete from grants where expires <= ?');
  const accounts = new Map<number, Account>();

  function accountOf({ id, windowMs }: KeyLimit, now: number): Account {
    let account = accounts.get(id);
    if (!account) {
      const times = select.all(id).flatMap((json) => JSON.parse(json) as number[]);
      account = { windowMs, grants: createTimeLog(times), unwritten: [] };
      accounts.set(id, account);
    }
    account.grants.removeUntil(now - windowMs);
    return account;
  }

  onFlush((now) => {
    for (const [id, account] of accounts) {
      const latest = account.unwritten.at(-1);
      if (latest === undefined) continue;
      insert.run(id, JSON.stringify(account.unwritten), latest + account.windowMs);
      account.unwritten = [];
    }
    deleteExpired.run(now);
  });

  return {
    /** Grants one request and returns 0, or refuses it and returns the milliseconds to wait. */
    take(key: KeyLimit, now: number): number {
      const { grants, unwritten } = accountOf(key, now);
      // After a lower limit was set, several grants have to expire first.
      if (grants.size >= key.limit) return grants.at(grants.size - key.limit)! + key.windowMs - now;
      grants.add(now);
      unwritten.push(now);
      scheduleFlush();
      return 0;
    },
    usage(key: KeyLimit, now: number): QuotaUsage {
      const { grants } = accountOf(key, now);
      const oldest = grants.at(0);
      return {
        remaining: Math.max(0, key.limit - grants.size),
        resetAt: oldest === undefined ? now : oldest + key.windowMs,
      };
    },
  };
}
