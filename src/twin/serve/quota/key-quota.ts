import type Database from 'better-sqlite3';
import type { ApiKey } from './twin-keys.ts';

export type KeyLimit = Pick<ApiKey, 'id' | 'limit' | 'windowMs'>;

export interface QuotaUsage {
  readonly remaining: number;
  /** When the oldest request leaves the window, in milliseconds UTC; now if nothing is used. */
  readonly resetAt: number;
}

export type KeyQuota = ReturnType<typeof createKeyQuota>;

/** A window is counted in this many intervals, of at least a millisecond. */
const INTERVALS = 1000;
/** The maximum size of a block, and its maximum share of the remaining quota: near the limit, each request is recorded alone. */
const MAX_BLOCK_SIZE = 256;
const BLOCK_SHARE = 16;

/** Requests that expire together. */
interface GrantCount {
  readonly expiresAt: number;
  readonly count: number;
}

/** Requests of one interval that are recorded as used; `left` are not granted yet. */
interface Block {
  readonly expiresAt: number;
  left: number;
}

/**
 * Creates the quota of requests per key in a sliding window, in a twin file: it survives restarts and is shared by all
 * twins of a store. A request counts from the end of its interval. Blocks of requests are recorded as used in advance, and
 * the rest of a block is released with the next one. So a killed twin may waste a block of quota, but never grants too much.
 */
export function createKeyQuota(client: Database.Database) {
  const removeExpired = client.prepare<[number, number]>('delete from grants where key_id = ? and expires_at <= ?');
  const release = client.prepare<[number, number, number]>(
    'update grants set count = count - ? where key_id = ? and expires_at = ?',
  );
  const listGrants = client.prepare<[number, number], GrantCount>(
    'select expires_at as expiresAt, count from grants where key_id = ? and expires_at > ? order by expires_at',
  );
  const addGrants = client.prepare<[number, number, number]>(
    'insert into grants values (?, ?, ?) on conflict do update set count = count + excluded.count',
  );
  const blocks = new Map<number, Block>();

  function releaseBlock(keyId: number): void {
    const block = blocks.get(keyId);
    if (block) release.run(block.left, keyId, block.expiresAt);
    blocks.delete(keyId);
  }

  /** Records a block as used and returns its size, or the milliseconds to wait for one. */
  const reserve = client.transaction((key: KeyLimit, now: number, expiresAt: number) => {
    releaseBlock(key.id);
    removeExpired.run(key.id, now);
    const used = listGrants.all(key.id, now);
    const remaining = key.limit - countGrants(used);
    if (remaining <= 0) return { size: 0, waitMs: findExpiry(used, 1 - remaining) - now };
    const size = Math.max(1, Math.min(MAX_BLOCK_SIZE, Math.floor(remaining / BLOCK_SHARE)));
    addGrants.run(key.id, expiresAt, size);
    return { size, waitMs: 0 };
  });

  return {
    /** Grants one request and returns 0, or refuses it and returns the milliseconds to wait. */
    take(key: KeyLimit, now: number): number {
      const interval = Math.max(1, Math.floor(key.windowMs / INTERVALS));
      const expiresAt = Math.ceil(now / interval) * interval + key.windowMs;
      let block = blocks.get(key.id);
      if (block?.expiresAt !== expiresAt || block.left === 0) {
        const { size, waitMs } = reserve.immediate(key, now, expiresAt);
        if (size === 0) return waitMs;
        // Nothing is granted that was not recorded.
        block = { expiresAt, left: size };
        blocks.set(key.id, block);
      }
      block.left -= 1;
      return 0;
    },
    usage(key: KeyLimit, now: number): QuotaUsage {
      releaseBlock(key.id);
      const used = listGrants.all(key.id, now);
      return {
        remaining: Math.max(0, key.limit - countGrants(used)),
        resetAt: used[0]?.expiresAt ?? now,
      };
    },
    /** Releases the rest of all blocks. */
    close: (): void => [...blocks.keys()].forEach(releaseBlock),
  };
}

const countGrants = (grants: readonly GrantCount[]): number => grants.reduce((sum, { count }) => sum + count, 0);

/** Returns when the first `needed` requests have expired. */
function findExpiry(grants: readonly GrantCount[], needed: number): number {
  let expired = 0;
  return grants.find(({ count }) => (expired += count) >= needed)!.expiresAt;
}
