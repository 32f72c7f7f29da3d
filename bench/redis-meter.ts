import { Redis } from 'ioredis';

/** Counts what this process asks of Redis, and what that costs Redis. */

export interface RedisMeter {
  /** Starts counting; the client is used to ask Redis itself, and is closed at the end. */
  start(client: Redis): Promise<{ end(pages: number): Promise<Record<string, number>> }>;
}

/** The ledger's keys have this in their names; all else is the queue's. */
const LEDGER = ':quota:';
const KEYS_WITHIN = 4;
const LONGEST_KEY = 200;

export function redisMeter(): RedisMeter {
  const sent = { ledger: 0, queue: 0 };
  const send = Redis.prototype.sendCommand;
  Redis.prototype.sendCommand = function count(this: Redis, command, stream) {
    sent[isLedgers(command) ? 'ledger' : 'queue'] += 1;
    return send.call(this, command, stream);
  };

  return {
    async start(client) {
      const before = await look(client);
      const sentBefore = { ...sent };
      return {
        async end(pages) {
          const { ledger, queue } = sent;
          const after = await look(client);
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

/** Looks at the first arguments only, where keys are: counting must not cost what it counts. */
function isLedgers(command: object): boolean {
  const { args = [] } = command as { args?: readonly unknown[] };
  for (let i = 0; i < args.length && i < KEYS_WITHIN; i++) {
    const arg = args[i];
    if (typeof arg === 'string' && arg.length < LONGEST_KEY && arg.includes(LEDGER)) return true;
  }
  return false;
}

/** Commands that Redis has carried out, those inside scripts too, and its CPU. */
async function look(client: Redis): Promise<{ commands: number; cpuMs: number }> {
  const info = `${await client.info('stats')}\n${await client.info('cpu')}`;
  const field = (name: string): number => Number(new RegExp(`^${name}:(.+)$`, 'm').exec(info)?.[1] ?? Number.NaN);
  return {
    commands: field('total_commands_processed'),
    cpuMs: (field('used_cpu_user') + field('used_cpu_sys')) * 1000,
  };
}
