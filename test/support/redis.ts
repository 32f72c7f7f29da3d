import { onTestFinished } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { type QueueRedis, startRedis, type StartRedisOptions } from '#crawl/queue/redis/start-redis.ts';
import { tempFile } from './temp.ts';

let isDescribed = false;

/** A Redis on a unix socket. */
export type LocalRedis = Omit<QueueRedis, 'connection'> & {
  readonly connection: { readonly path: string; readonly maxRetriesPerRequest: null };
};

/** A Redis for one test, ended with it: a private redis-server where there is one, else the built-in engine. */
export async function withRedis(options: Partial<StartRedisOptions> = {}): Promise<LocalRedis> {
  const engine = (await startRedis({
    environment: buildChildEnvironment(),
    storePath: tempFile('trawl.db'),
    allow: ['server', 'embedded'],
    ...options,
  })) as LocalRedis;
  onTestFinished(() => engine[Symbol.asyncDispose]());
  if (!isDescribed) process.stderr.write(`the queue's tests run on ${engine.description}\n`);
  isDescribed = true;
  return engine;
}
