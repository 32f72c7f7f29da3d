import type { Redis } from 'ioredis';
import { ClientSession, createRedisCommandExecutor, RedisServerState, type RedisValue } from 'js-redis-server/core';

/** A Redis in this process, which outlives the processes that are simulated. */
export interface SimRedis {
  /**
   * A connection with the commands of the quota's ledger. A command runs and its reply arrives when `pass` resolves,
   * which it never does for a process that is gone.
   */
  connect(pass: () => Promise<void>): Redis;
}

let session: ClientSession | undefined;

/** Empties js-redis-server, which runs the ledger's scripts as Redis does (decision 32). */
export async function createSimRedis(): Promise<SimRedis> {
  session ??= new ClientSession({
    server: new RedisServerState({ databaseCount: 1, activeExpiryIntervalMs: false }),
    executor: createRedisCommandExecutor(),
  });
  await run('FLUSHALL');
  // Loads the engine of scripts outside of simulated time.
  await run('EVAL', 'return 1', '0');
  return {
    connect(pass) {
      const runWithin = async (command: string, ...args: readonly string[]): Promise<unknown> => {
        await pass();
        const reply = await run(command, ...args);
        await pass();
        return reply;
      };
      const commands: Record<string, unknown> = {
        hgetall: (key: string) => runWithin('HGETALL', key),
        zcard: (key: string) => runWithin('ZCARD', key),
        // Nobody subscribes.
        publish: async () => 0,
        defineCommand(name: string, { lua, numberOfKeys }: { lua: string; numberOfKeys: number }) {
          commands[name] = (...args: (string | number)[]) =>
            runWithin('EVAL', lua, String(numberOfKeys), ...args.map(String));
        },
      };
      return commands as unknown as Redis;
    },
  };
}

async function run(command: string, ...args: readonly string[]): Promise<unknown> {
  const result = (await session!.execute(
    command,
    args.map((arg) => Buffer.from(arg)),
  )) as { value: RedisValue };
  return toPlain(result.value);
}

function toPlain(value: RedisValue): unknown {
  if (value.kind === 'array') return value.items.map(toPlain);
  if (value.kind === 'bulk-string') return value.value?.toString() ?? null;
  if (value.kind === 'integer') return Number(value.value);
  if (value.kind === 'map')
    return Object.fromEntries(value.entries.map(([key, each]) => [toPlain(key), toPlain(each)]));
  if (value.kind === 'simple-string') return value.value;
  if (value.kind === 'null') return null;
  if (value.kind === 'error') throw new Error(value.message);
  throw new Error(`a reply that the ledger does not know: ${JSON.stringify(value)}`);
}
