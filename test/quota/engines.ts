import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createRedisMock } from 'js-redis-server';
import { afterAll, beforeAll, describe } from 'vitest';
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

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** The engines on this machine: the ledger must keep its invariants on all. */
export const engines: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ...(hasRedis ? [['redis-server', realRedis] as const] : []),
  ['js-redis-server', redisInJavaScript],
];

type EngineTests = (connect: () => Redis, numRuns: (onRedisServer: number, otherwise: number) => number) => void;

const describeOn =
  (some: typeof engines) =>
  (title: string, tests: EngineTests): void =>
    describe.each(some)(`${title} on %s`, (name, start) => {
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

export const describeOnEngines = describeOn(engines);
export const describeOnFastestEngine = describeOn(engines.slice(0, 1));

/** A prefix that no other test has. */
export const newPrefix = (): string => `test-${randomUUID()}`;
