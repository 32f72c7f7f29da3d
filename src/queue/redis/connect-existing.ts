import { Redis } from 'ioredis';
import { TrawlError } from '../../errors.ts';
import type { RedisConnection } from './backend.ts';
import { connectToRedisUrl } from './redis-url.ts';
import { resolveRuntimeFiles } from './runtime-dir.ts';

/**
 * A connection to a running queue, to read its state and to queue crawls. It starts no server and keeps none alive; its
 * commands fail at once during an outage.
 */
export interface ExistingRedis extends AsyncDisposable {
  readonly description: string;
  readonly connection: Redis;
}

const PATIENCE_MS = 2000;

/** Undefined when no queue is up. @throws TrawlError when the one that is meant does not answer. */
export async function connectToExisting(options: {
  /** REDIS_URL, if set. */
  readonly redisUrl?: string | undefined;
  /** The store's file. */
  readonly storePath: string;
  /** XDG_RUNTIME_DIR, if set. */
  readonly runtimeDir?: string | undefined;
}): Promise<ExistingRedis | undefined> {
  if (options.redisUrl) {
    const { connection, description } = await connectToRedisUrl(options.redisUrl, { isVisit: true });
    return await enter(connection, description);
  }
  const { socket, embeddedSocket } = resolveRuntimeFiles(options.storePath, options.runtimeDir);
  return (
    (await enter({ path: socket }, `a private redis-server (${socket})`)) ??
    (await enter({ path: embeddedSocket }, 'the built-in queue of another process'))
  );
}

async function enter(connection: RedisConnection, visits: string): Promise<ExistingRedis | undefined> {
  const redis = new Redis({
    ...connection,
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: NodeJS.ErrnoException | undefined;
  redis.on('error', (error) => (reason ??= error));
  try {
    await redis.connect();
    return { description: visits, connection: redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
  } catch (cause) {
    if (redis.status !== 'end') redis.disconnect();
    // Nobody listens there, or nobody any more.
    if (reason?.code === 'ENOENT' || reason?.code === 'ECONNREFUSED') return undefined;
    throw new TrawlError(`the queue does not answer: ${visits}`, { cause });
  }
}
