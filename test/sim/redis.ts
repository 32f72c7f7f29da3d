import type { Redis } from 'ioredis';
import { ClientSession, createRedisCommandExecutor, RedisServerState, type RedisValue } from 'js-redis-server/core';

/** A Redis in this process, which outlives the processes that are simulated. */
export interface SimRedis {
  /**
   * A connection, as far as the quota's ledger knows one. Commands are run and answered when `pass` lets them: it
   * resolves when a way is made, and never for a process that is gone.
   */
  connect(pass: () => Promise<void>): Redis;
}

const server = new RedisServerState({ databaseCount: 1, activeExpiryIntervalMs: false });
const session = new ClientSession({ server, executor: createRedisCommandExecutor() });

/** Resolves when it is empty, and ready to answer without waiting for anything real. */
export async function createSimRedis(): Promise<SimRedis> {
  const run = async (command: string, ...args: readonly (string | number)[]): Promise<unknown> => {
    const result = (await session.execute(
      command,
      args.map((arg) => Buffer.from(String(arg))),
    )) as { value: RedisValue };
    return plain(result.value);
  };
  await run('FLUSHALL');
  await run('EVAL', 'return 1', 0);
  return {
    connect(pass) {
      const commands: Record<string, unknown> = {
        async hgetall(key: string) {
          await pass();
          const flat = await run('HGETALL', key);
          await pass();
          return flat;
        },
        async zcard(key: string) {
          await pass();
          const count = await run('ZCARD', key);
          await pass();
          return count;
        },
        // What people watch is told to nobody here.
        publish: async () => 0,
        defineCommand(name: string, { lua, numberOfKeys }: { lua: string; numberOfKeys: number }) {
          commands[name] = async (...args: (string | number)[]) => {
            await pass();
            const reply = await run('EVAL', lua, numberOfKeys, ...args);
            await pass();
            return reply;
          };
        },
      };
      return commands as unknown as Redis;
    },
  };
}

function plain(value: RedisValue): unknown {
  if (value.kind === 'array') return value.items.map(plain);
  if (value.kind === 'bulk-string') return value.value?.toString() ?? null;
  if (value.kind === 'integer') return Number(value.value);
  if (value.kind === 'map') return Object.fromEntries(value.entries.map(([key, each]) => [plain(key), plain(each)]));
  if (value.kind === 'simple-string') return value.value;
  if (value.kind === 'null') return null;
  if (value.kind === 'error') throw new Error(value.message);
  throw new Error(`a reply that the ledger does not know: ${JSON.stringify(value)}`);
}
