import { existsSync } from 'node:fs';
import { TrawlError } from '#base/errors.ts';
import type { RedisClient } from '#base/redis-client.ts';
import type { RedisConnection } from './redis-backend.ts';
import { resolveRuntimeFiles } from './runtime-dir.ts';
import type { StartRedisOptions } from './start-redis.ts';

/**
 * A connection to a running queue, to read its state and to queue crawls. It starts no server and keeps none alive; its
 * commands fail at once during an outage. The client is loaded only if there may be a queue.
 */
export interface ExistingRedis extends AsyncDisposable {
  readonly description: string;
  readonly connection: RedisClient;
}

const TIMEOUT_MS = 2000;

/** Connects to a running queue; undefined if none is running. @throws TrawlError if it does not respond */
export async function connectToExisting({
  redisUrl,
  storePath,
  runtimeDir,
}: Pick<StartRedisOptions, 'redisUrl' | 'storePath' | 'runtimeDir'>): Promise<ExistingRedis | undefined> {
  if (redisUrl) {
    const { connectToRedisUrl } = await import('./redis-url.ts');
    const { connection, description } = await connectToRedisUrl(redisUrl, { isReadOnly: true });
    return await connect(connection, description);
  }
  const { socket, embeddedSocket } = resolveRuntimeFiles(storePath, runtimeDir);
  return (
    (await connectToSocket(socket, `a private redis-server (${socket})`)) ??
    (await connectToSocket(embeddedSocket, 'the built-in queue of another process'))
  );
}

const connectToSocket = async (path: string, description: string): Promise<ExistingRedis | undefined> =>
  existsSync(path) ? await connect({ path }, description) : undefined;

async function connect(connection: RedisConnection, description: string): Promise<ExistingRedis | undefined> {
  const { connectOnce, hasNoServer } = await import('./open-client.ts');
  const timeouts = { connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS, disconnectTimeout: 100 };
  try {
    return await connectOnce(connection, timeouts, async (redis) => ({
      description,
      connection: redis,
      [Symbol.asyncDispose]: async () => redis.disconnect(),
    }));
  } catch (cause) {
    if (hasNoServer(cause)) return undefined;
    throw new TrawlError(`the queue does not answer: ${description}`, { cause });
  }
}
