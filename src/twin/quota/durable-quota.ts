import { randomUUID } from 'node:crypto';
import { SECOND } from '../../clock.ts';
import { createGrantBlocks } from './grant-blocks.ts';
import type { KeyLimit, KeyQuota } from './key-quota.ts';
import { createTimeLog, type TimeLog } from './time-log.ts';
import { FLUSH_INTERVAL_MS, type TwinFile } from './twin-file.ts';

/** Never more at hand than this, nor more than this part of what is left: near the limit every grant is recorded alone. */
const MOST_AT_HAND = 1024;
const PART_AT_HAND = 16;
/** For so long after another twin wrote, this one keeps nothing at hand. */
const SHARED_MS = 10 * SECOND;

interface Reserved {
  readonly id: number;
  readonly size: number;
  readonly until: number;
}

interface Account {
  readonly allowance: KeyLimit;
  /** When this process granted requests, and when others did, as far as they said. */
  readonly own: TimeLog;
  others: TimeLog;
  /** Grants that are recorded as spent, and may be handed out; `times` are those that were. */
  block:
    | { readonly id: number; readonly from: number; readonly until: number; left: number; times: number[] }
    | undefined;
}

/**
 * A quota that outlives its process and is shared by all twins of a store. Grants are handed out of blocks that are
 * recorded as spent before, at the latest time at which they may be handed out; what was handed out when is written
 * within a second, and the rest given back. So a crash may cost a block of quota and never grants one too many.
 */
export function createDurableQuota(record: TwinFile): KeyQuota {
  const twin = randomUUID();
  const blocks = createGrantBlocks(record.client, twin);
  const accounts = new Map<number, Account>();
  let sharedUntil = Number.NEGATIVE_INFINITY;
  blocks.readForeignBlocks();

  function accountOf(key: KeyLimit, now: number): Account {
    let account = accounts.get(key.id);
    if (!account) {
      account = {
        allowance: key,
        own: createTimeLog(),
        others: createTimeLog(blocks.foreignGrantTimes(key.id)),
        block: undefined,
      };
      accounts.set(key.id, account);
    }
    account.own.removeUntil(now - key.windowMs);
    account.others.removeUntil(now - key.windowMs);
    return account;
  }

  /** Takes over what other twins wrote. */
  function look(now: number): void {
    const rebuilt = new Set<number>();
    for (const { keyId, times, isNew } of blocks.readForeignBlocks()) {
      const latest = times.at(-1) ?? now;
      if (latest > now - SHARED_MS) sharedUntil = latest + SHARED_MS;
      const account = accounts.get(keyId);
      // Who was built anew has all of the news.
      if (!account || rebuilt.has(keyId)) continue;
      const { others } = account;
      const isLater = isNew && (others.size === 0 || times.length === 0 || times[0]! >= others.at(others.size - 1));
      if (isLater) for (const time of times) others.add(time);
      else {
        account.others = createTimeLog(blocks.foreignGrantTimes(keyId));
        rebuilt.add(keyId);
      }
    }
  }

  function settle({ block, allowance }: Account, now: number): void {
    if (block) blocks.settle(block.id, block.times, Math.max(now, ...block.times) + allowance.windowMs);
  }

  /** Records a block as spent, when there is room for one. */
  const reserve = record.client.transaction((key: KeyLimit, now: number): Reserved | undefined => {
    look(now);
    const account = accountOf(key, now);
    settle(account, now);
    const room = key.limit - used(account);
    if (room <= 0) return undefined;
    const size = now < sharedUntil ? 1 : Math.max(1, Math.min(MOST_AT_HAND, Math.floor(room / PART_AT_HAND)));
    const until = size === 1 ? now : now + FLUSH_INTERVAL_MS;
    return { size, until, id: blocks.open({ keyId: key.id, size, until, windowMs: key.windowMs }) };
  });

  /** One of a new block; what cannot be recorded is not granted. */
  function takeAnother(key: KeyLimit, now: number): boolean {
    const reserved = reserve.immediate(key, now);
    const { id, size, until } = reserved ?? { id: 0, size: 0, until: 0 };
    // Of a block of one everything is said: it was granted when it was taken.
    accountOf(key, now).block = size > 1 ? { id, from: now, until, left: size - 1, times: [now] } : undefined;
    return reserved !== undefined;
  }

  record.onFlush((now) => {
    for (const account of accounts.values()) {
      settle(account, now);
      account.block = undefined;
    }
    blocks.removeExpired(now);
  });

  return {
    take(key, now) {
      const account = accountOf(key, now);
      const { block } = account;
      // Nobody gave anything back meanwhile: who is refused again and again costs no transaction.
      if (used(account) >= key.limit && !blocks.hasForeignWrites()) return waitOf(account, key, now);
      // A clock that was set back must not make a block live longer.
      const isAtHand = block && block.left > 0 && now >= block.from && now < block.until && used(account) < key.limit;
      if (isAtHand) {
        block.left -= 1;
        block.times.push(now);
      } else if (!takeAnother(key, now)) return waitOf(accountOf(key, now), key, now);
      account.own.add(now);
      record.scheduleFlush();
      return 0;
    },
    usage(key, now) {
      if (blocks.hasForeignWrites()) look(now);
      const account = accountOf(key, now);
      const oldest = timeAt(account, 0);
      return {
        remaining: Math.max(0, key.limit - used(account)),
        resetAt: oldest === undefined ? now : oldest + key.windowMs,
      };
    },
  };
}

const used = ({ own, others }: Account): number => own.size + others.size;

/** After the limit was lowered, several have to leave before one may come. */
function waitOf(account: Account, key: KeyLimit, now: number): number {
  return timeAt(account, used(account) - key.limit)! + key.windowMs - now;
}

/** The i-th oldest of all grants. */
function timeAt({ own, others }: Account, index: number): number | undefined {
  let [mine, theirs] = [0, 0];
  for (;;) {
    const isMine = theirs === others.size || (mine < own.size && own.at(mine) <= others.at(theirs));
    if (mine + theirs === index) {
      if (mine === own.size && theirs === others.size) return undefined;
      return isMine ? own.at(mine) : others.at(theirs);
    }
    if (mine + theirs >= own.size + others.size) return undefined;
    if (isMine) mine += 1;
    else theirs += 1;
  }
}
