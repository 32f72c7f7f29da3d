import { randomUUID } from 'node:crypto';
import { SECOND } from '../../../base/clock.ts';
import { createGrantBlocks } from './grant-blocks.ts';
import { createTimeLog, type TimeLog } from './time-log.ts';
import { FLUSH_INTERVAL_MS, type TwinFile } from './twin-file.ts';
import type { ApiKey } from './twin-keys.ts';

export type KeyLimit = Pick<ApiKey, 'id' | 'limit' | 'windowMs'>;

export interface QuotaUsage {
  readonly remaining: number;
  /** When the oldest request leaves the window, in milliseconds UTC; now if nothing is used. */
  readonly resetAt: number;
}

export type KeyQuota = ReturnType<typeof createKeyQuota>;

/**
 * Maximum size of a block, and its maximum part of the remaining quota: near the limit, every grant is recorded alone.
 */
const MAX_BLOCK_SIZE = 1024;
const BLOCK_SHARE = 16;
/** While another twin has written within this time, blocks have size 1. */
const SHARED_MS = 10 * SECOND;

interface Account {
  readonly keyLimit: KeyLimit;
  /** Times of grants by this process and by others. */
  readonly ownGrants: TimeLog;
  foreignGrants: TimeLog;
  /** The open block: grants that are recorded as used; `times` are those already given out. */
  block:
    | { readonly id: number; readonly from: number; readonly until: number; left: number; times: number[] }
    | undefined;
}

/**
 * Creates the quota of requests per key in a sliding window. It survives restarts and is shared by all twins of a store.
 * Grants come from blocks that are recorded as used in advance, at their latest possible time. The actual times are
 * written within a second and the rest is released. So a crash may waste a block of quota, but never grants too much.
 */
export function createKeyQuota(twinFile: TwinFile) {
  const twin = randomUUID();
  const blocks = createGrantBlocks(twinFile.client, twin);
  const accounts = new Map<number, Account>();
  let sharedUntil = Number.NEGATIVE_INFINITY;
  blocks.readForeignBlocks();

  function accountOf(key: KeyLimit, now: number): Account {
    let account = accounts.get(key.id);
    if (!account) {
      account = {
        keyLimit: key,
        ownGrants: createTimeLog(),
        foreignGrants: createTimeLog(blocks.foreignGrantTimes(key.id)),
        block: undefined,
      };
      accounts.set(key.id, account);
    }
    account.ownGrants.removeUntil(now - key.windowMs);
    account.foreignGrants.removeUntil(now - key.windowMs);
    return account;
  }

  /** Reads the grants of other twins. */
  function readForeignGrants(now: number): void {
    const rebuilt = new Set<number>();
    for (const { keyId, times, isNew } of blocks.readForeignBlocks()) {
      const latest = times.at(-1) ?? now;
      if (latest > now - SHARED_MS) sharedUntil = latest + SHARED_MS;
      const account = accounts.get(keyId);
      // A rebuilt account already has all foreign grants.
      if (!account || rebuilt.has(keyId)) continue;
      const { foreignGrants } = account;
      const isAppendable =
        isNew &&
        (foreignGrants.size === 0 || times.length === 0 || times[0]! >= foreignGrants.at(foreignGrants.size - 1)!);
      if (isAppendable) for (const time of times) foreignGrants.add(time);
      else {
        account.foreignGrants = createTimeLog(blocks.foreignGrantTimes(keyId));
        rebuilt.add(keyId);
      }
    }
  }

  function settleBlock({ block, keyLimit }: Account, now: number): void {
    if (block) blocks.settle(block.id, block.times, Math.max(now, ...block.times) + keyLimit.windowMs);
  }

  /** Records a block as used if quota remains. */
  const reserve = twinFile.client.transaction((key: KeyLimit, now: number) => {
    readForeignGrants(now);
    const account = accountOf(key, now);
    settleBlock(account, now);
    const remaining = key.limit - countUsed(account);
    if (remaining <= 0) return undefined;
    const size = now < sharedUntil ? 1 : Math.max(1, Math.min(MAX_BLOCK_SIZE, Math.floor(remaining / BLOCK_SHARE)));
    const until = size === 1 ? now : now + FLUSH_INTERVAL_MS;
    return { size, until, id: blocks.open({ keyId: key.id, size, until, expires: until + key.windowMs }) };
  });

  /** Takes a grant from a new block; nothing is granted that cannot be recorded. */
  function takeFromNewBlock(key: KeyLimit, now: number): boolean {
    const reserved = reserve.immediate(key, now);
    // A block of size 1 needs no further record.
    accountOf(key, now).block =
      reserved && reserved.size > 1 ? { ...reserved, from: now, left: reserved.size - 1, times: [now] } : undefined;
    return reserved !== undefined;
  }

  twinFile.onFlush((now) => {
    for (const account of accounts.values()) {
      settleBlock(account, now);
      account.block = undefined;
    }
    blocks.removeExpired(now);
  });

  return {
    /** Grants one request and returns 0, or refuses it and returns the milliseconds to wait. */
    take(key: KeyLimit, now: number): number {
      const account = accountOf(key, now);
      const { block } = account;
      // Without writes of others the quota is still used up, and the refusal needs no transaction.
      if (countUsed(account) >= key.limit && !blocks.hasForeignWrites()) return computeWait(account, key, now);
      // A clock that is set back must not extend a block.
      const hasGrant =
        block && block.left > 0 && now >= block.from && now < block.until && countUsed(account) < key.limit;
      if (hasGrant) {
        block.left -= 1;
        block.times.push(now);
      } else if (!takeFromNewBlock(key, now)) return computeWait(accountOf(key, now), key, now);
      account.ownGrants.add(now);
      twinFile.scheduleFlush();
      return 0;
    },
    usage(key: KeyLimit, now: number): QuotaUsage {
      if (blocks.hasForeignWrites()) readForeignGrants(now);
      const account = accountOf(key, now);
      const oldest = timeAt(account, 0);
      return {
        remaining: Math.max(0, key.limit - countUsed(account)),
        resetAt: oldest === undefined ? now : oldest + key.windowMs,
      };
    },
  };
}

const countUsed = ({ ownGrants, foreignGrants }: Account): number => ownGrants.size + foreignGrants.size;

/** After a lower limit was set, several grants have to expire first. */
function computeWait(account: Account, key: KeyLimit, now: number): number {
  return timeAt(account, countUsed(account) - key.limit)! + key.windowMs - now;
}

/** Returns the i-th oldest grant of all; undefined if there are fewer. */
function timeAt({ ownGrants, foreignGrants }: Account, index: number): number | undefined {
  let [own, foreign, time] = [0, 0, Infinity];
  while (own + foreign <= index) {
    const [ownTime, foreignTime] = [ownGrants.at(own) ?? Infinity, foreignGrants.at(foreign) ?? Infinity];
    time = Math.min(ownTime, foreignTime);
    if (time === Infinity) return undefined;
    if (ownTime === time) own += 1;
    else foreign += 1;
  }
  return time;
}
