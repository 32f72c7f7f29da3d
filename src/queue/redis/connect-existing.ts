import type { Redis } from 'ioredis';
import { TrawlError } from '../../errors.ts';
import { connectOnce, hasNoServer, type RedisConnection } from './backend.ts';
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

const TIMEOUT_MS = 2000;

/** Connects to a running queue; undefined if none is running. @throws TrawlError if it does not respond */
export async function connectToExisting(options: {
  /** REDIS_URL, if set. */
  readonly redisUrl?: string | undefined;
  /** The store's file. */
  readonly storePath: string;
  /** XDG_RUNTIME_DIR, if set. */
  readonly runtimeDir?: string | undefined;
}): Promise<ExistingRedis | undefined> {
  if (options.redisUrl) {
    const { connection, description } = await connectToRedisUrl(options.redisUrl, { isReadOnly: true });
    return await connect(connection, description);
  }
  const { socket, embeddedSocket } = resolveRuntimeFiles(options.storePath, options.runtimeDir);
  return (
    (await connect({ path: socket }, `a private redis-server (${socket})`)) ??
    (await connect({ path: embeddedSocket }, 'the built-in queue of another process'))
  );
}

async function connect(connection: RedisConnection, description: string): Promise<ExistingRedis | undefined> {
  const timeouts = { connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS, disconnectTimeout: 100 };
  try {
    return await connectOnce({ ...connection, ...timeouts }, async (redis) => ({
      ...{ description, connection: redis },
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    }));
  } catch (cause) {
    if (hasNoServer(cause)) return undefined;
    throw new TrawlError(`the queue does not answer: ${description}`, { cause });
  }
}
