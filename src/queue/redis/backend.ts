import { Redis, type RedisOptions } from 'ioredis';

/** Connection options of ioredis and BullMQ: a unix socket, or a host and a port. */
export type RedisConnection = Readonly<
  Pick<RedisOptions, 'path' | 'host' | 'port' | 'username' | 'password' | 'db' | 'tls'>
>;

/** A running Redis. `stop` ends its use by this process. */
export interface RedisBackend {
  readonly connection: RedisConnection;
  readonly description: string;
  stop(): Promise<void>;
}

/** Resolves when a client has closed its connection and does not reconnect. */
export const waitForEnd = (client: Redis): Promise<void> =>
  new Promise((resolve) => {
    client.once('end', () => resolve());
  });

/**
 * Connects to a Redis without reconnecting, and passes the client to `use`, which keeps or disconnects it.
 * @throws the error of the connection if there is one: commands only report that it closed
 */
export async function connectOnce<T>(options: RedisOptions, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({ lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null, ...options });
  let reason: Error | undefined;
  redis.on('error', (error) => (reason ??= error));
  try {
    await redis.connect();
    return await use(redis);
  } catch (error) {
    // After the end, `disconnect` would keep the process alive for two seconds.
    if (redis.status !== 'end') redis.disconnect();
    throw reason ?? error;
  }
}

/** Whether a connection failed because no server listens on a socket: it is missing, or a dead server left it. */
export const hasNoServer = (error: unknown): boolean =>
  ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
