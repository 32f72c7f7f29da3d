import { Redis } from 'ioredis';
import type { RedisClient } from '#base/redis-client.ts';

/** Counts the Redis commands of this process, and measures the CPU of Redis. */

export interface RedisMeter {
  /** Starts counting. The client reads the statistics of Redis and is closed at the end. */
  start(client: RedisClient): Promise<{ end(pages: number): Promise<Record<string, number>> }>;
}

/** Part of the keys of the ledger; all other keys belong to the queue. */
const LEDGER = ':quota:';
const MAX_CHECKED_ARGUMENTS = 4;
const MAX_KEY_LENGTH = 200;

export function createRedisMeter(): RedisMeter {
  const sent = { ledger: 0, queue: 0 };
  const send = Redis.prototype.sendCommand;
  Redis.prototype.sendCommand = function count(this: Redis, command, stream) {
    sent[isLedgerCommand(command) ? 'ledger' : 'queue'] += 1;
    return send.call(this, command, stream);
  };

  return {
    async start(client) {
      const before = await readUsage(client);
      const sentBefore = { ...sent };
      return {
        async end(pages) {
          const { ledger, queue } = sent;
          const after = await readUsage(client);
          client.disconnect();
          return {
            redisLedgerPerPage: (ledger - sentBefore.ledger) / pages,
            redisQueuePerPage: (queue - sentBefore.queue) / pages,
            redisInsidePerPage: (after.commands - before.commands) / pages,
            redisCpuMs: after.cpuMs - before.cpuMs,
          };
        },
      };
    },
  };
}

/** Checks only the first arguments, which hold the keys, to keep the cost low. */
function isLedgerCommand(command: object): boolean {
  const { args = [] } = command as { args?: readonly unknown[] };
  for (let i = 0; i < args.length && i < MAX_CHECKED_ARGUMENTS; i++) {
    const arg = args[i];
    if (typeof arg === 'string' && arg.length < MAX_KEY_LENGTH && arg.includes(LEDGER)) return true;
  }
  return false;
}

/** Returns the number of executed commands, also inside scripts, and the CPU of Redis. */
async function readUsage(client: RedisClient): Promise<{ commands: number; cpuMs: number }> {
  const info = `${await client.info('stats')}\n${await client.info('cpu')}`;
  const field = (name: string): number => Number(new RegExp(`^${name}:(.+)$`, 'm').exec(info)?.[1] ?? Number.NaN);
  return {
    commands: field('total_commands_processed'),
    cpuMs: (field('used_cpu_user') + field('used_cpu_sys')) * 1000,
  };
}
