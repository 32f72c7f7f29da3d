import { buildChildEnvironment } from '#config.ts';
import { startRedis, type RedisSource } from '#crawl/queue/redis/start-redis.ts';

/** A process that takes part in a store's Redis until its input ends. Arguments: the place, and the kind to use. */
const [place, kind] = process.argv.slice(2) as [string, RedisSource];
const engine = await startRedis({ environment: buildChildEnvironment(), storePath: place, allow: [kind] });
process.stdout.write(`${engine.description}\n`);
process.stdin.resume().once('end', () => void engine[Symbol.asyncDispose]());
