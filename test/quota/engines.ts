import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createRedisMock } from 'js-redis-server';
import { afterAll, beforeAll, describe } from 'vitest';
import { isInstalled } from '../support/programs.ts';
import { createTempDir } from '../support/temp.ts';

/** A running Redis. */
interface Engine extends AsyncDisposable {
  connect(): Redis;
}

async function realRedis(): Promise<Engine> {
  const directory = createTempDir();
  const path = join(directory.path, 'r.sock');
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', directory.path], {
    stdio: 'ignore',
  });
  return engine(
    () => new Redis({ path, retryStrategy: () => 20, maxRetriesPerRequest: null }),
    async () => {
      const exited = once(server, 'exit');
      server.kill();
      await exited;
      directory[Symbol.dispose]();
    },
  );
}

async function redisInJavaScript(): Promise<Engine> {
  const server = await createRedisMock();
  const [address] = server.addresses();
  return engine(
    () => new Redis(address!),
    () => server.close(),
  );
}

function engine(open: () => Redis, stop: () => Promise<void>): Engine {
  const connections: Redis[] = [];
  return {
    connect() {
      const redis = open();
      redis.on('error', () => undefined);
      connections.push(redis);
      return redis;
    },
    async [Symbol.asyncDispose]() {
      for (const redis of connections) redis.disconnect();
      await stop();
    },
  };
}

/** The ledger must keep its invariants on all engines. */
const allEngines: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ['redis-server', realRedis],
  ['js-redis-server', redisInJavaScript],
];

/** The engines on this machine. */
export const engines = isInstalled('redis-server') ? allEngines : allEngines.slice(1);

type EngineTests = (connect: () => Redis, numRuns: (onRedisServer: number, otherwise: number) => number) => void;

const describeOn =
  (some: typeof engines) =>
  (title: string, tests: EngineTests): void =>
    some.forEach((entry) => {
      const [name, start] = entry;
      describe.runIf(engines.includes(entry))(`${title} on ${name}`, () => {
        let engine: Engine;
        beforeAll(async () => {
          engine = await start();
        });
        afterAll(() => engine[Symbol.asyncDispose]());
        tests(
          () => engine.connect(),
          (onRedisServer, otherwise) => (name === 'redis-server' ? onRedisServer : otherwise),
        );
      });
    });

export const describeOnEngines = describeOn(allEngines);
export const describeOnFastestEngine = describeOn(engines.slice(0, 1));

/** A prefix that no other test has. */
export const newPrefix = (): string => `test-${randomUUID()}`;
