import type { Redis } from 'ioredis';
import { ClientSession, createRedisCommandExecutor, RedisServerState, type RedisValue } from 'js-redis-server/core';
import { compileLua, type Script } from './lua.ts';
import { createKeys } from './redis-keys.ts';

/** A Redis in this process, which outlives the processes that are simulated. */
export interface SimRedis {
  /**
   * A connection, as far as the quota's ledger knows one. Commands are run and answered when `pass` lets them: it
   * resolves when a way is made, and never for a process that is gone.
   */
  connect(pass: () => Promise<void>): Redis;
}

/** Runs a command, or a script with its keys and arguments. */
interface Server {
  run(command: string, ...args: readonly string[]): unknown;
  script(lua: string, keys: readonly string[], args: readonly string[]): unknown;
}

/**
 * Resolves when it is empty. A `whole` one is js-redis-server, with Lua as Redis has it, and takes longer than all else
 * of a simulation; the other has the commands that the ledger uses, and its scripts compiled (a test compares them).
 */
export async function createSimRedis(isWhole: boolean): Promise<SimRedis> {
  const { run, script } = isWhole ? await wholeServer() : smallServer();
  return {
    connect(pass) {
      const passing = async <T>(reply: () => T): Promise<Awaited<T>> => {
        await pass();
        const value = await reply();
        await pass();
        return value;
      };
      const commands: Record<string, unknown> = {
        hgetall: (key: string) => passing(() => run('HGETALL', key)),
        zcard: (key: string) => passing(() => run('ZCARD', key)),
        // What people watch is told to nobody here.
        publish: async () => 0,
        defineCommand(name: string, { lua, numberOfKeys }: { lua: string; numberOfKeys: number }) {
          commands[name] = (...args: (string | number)[]) => {
            const texts = args.map(String);
            return passing(() => script(lua, texts.slice(0, numberOfKeys), texts.slice(numberOfKeys)));
          };
        },
      };
      return commands as unknown as Redis;
    },
  };
}

const compiled = new Map<string, Script>();

function smallServer(): Server {
  const run = createKeys();
  return {
    run,
    script(lua, keys, args) {
      let script = compiled.get(lua);
      if (!script) compiled.set(lua, (script = compileLua(lua)));
      return script(run, keys, args);
    },
  };
}

let session: ClientSession | undefined;

async function wholeServer(): Promise<Server> {
  session ??= new ClientSession({
    server: new RedisServerState({ databaseCount: 1, activeExpiryIntervalMs: false }),
    executor: createRedisCommandExecutor(),
  });
  const run: Server['run'] = async (command, ...args) => {
    const result = (await session!.execute(
      command,
      args.map((arg) => Buffer.from(arg)),
    )) as { value: RedisValue };
    return plain(result.value);
  };
  await run('FLUSHALL');
  await run('EVAL', 'return 1', '0');
  return { run, script: (lua, keys, args) => run('EVAL', lua, String(keys.length), ...keys, ...args) };
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
