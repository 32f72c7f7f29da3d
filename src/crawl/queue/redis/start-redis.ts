import { TrawlError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { openClient, toWaitingOptions, waitForEnd } from './open-client.ts';
import { joinPrivateServer } from './private-server.ts';
import type { RedisBackend } from './redis-backend.ts';
import { connectToRedisUrl } from './redis-url.ts';
import { resolveRuntimeFiles } from './runtime-dir.ts';

export type RedisSource = 'url' | 'server' | 'embedded';

export type QueueRedis = ReturnType<typeof createQueueRedis>;

export interface StartRedisOptions {
  /** REDIS_URL, if set. */
  readonly redisUrl?: string | undefined;
  /** The store's file: processes that name the same one share one private Redis. */
  readonly storePath: string;
  /** XDG_RUNTIME_DIR, if set. */
  readonly runtimeDir?: string | undefined;
  /** The environment of a private server. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log?: Log | undefined;
  /** The sources to try, for tests; all by default. */
  readonly allow?: readonly RedisSource[] | undefined;
}

/** The sources in order. A source that is not available returns undefined. */
const BACKENDS: Readonly<Record<RedisSource, (options: StartRedisOptions) => Promise<RedisBackend | undefined>>> = {
  url: async ({ redisUrl }) => (redisUrl ? await connectToRedisUrl(redisUrl) : undefined),
  server: async ({ storePath, runtimeDir, environment, log }) =>
    await joinPrivateServer({ files: resolveRuntimeFiles(storePath, runtimeDir), environment, log }),
  embedded: async ({ storePath, runtimeDir }) => await startEmbeddedServer(resolveRuntimeFiles(storePath, runtimeDir)),
};

const SOURCES = Object.keys(BACKENDS) as RedisSource[];

/**
 * Starts the queue with REDIS_URL, else with a private redis-server, else with the built-in server.
 * @throws TrawlError if the Redis of REDIS_URL does not respond, or another process uses the built-in server
 */
export async function startRedis(options: StartRedisOptions): Promise<QueueRedis> {
  for (const source of SOURCES.filter((each) => options.allow?.includes(each) ?? true)) {
    const backend = await BACKENDS[source](options);
    if (backend) return createQueueRedis(source, backend, options.log);
  }
  throw new TrawlError('there is no Redis to use', { hint: 'Install redis-server, or set REDIS_URL.' });
}

/** The Redis of the queue. Disposal stops a private server that no other process uses. */
function createQueueRedis(source: RedisSource, backend: RedisBackend, log: Log | undefined) {
  const clients = new Set<RedisClient>();
  const down = new Set<RedisClient>();

  const onDown = (client: RedisClient, { message, code, lastNodeError }: RedisError): void => {
    // Only the message: ioredis attaches the command, which for a login contains the password.
    const reason = lastNodeError?.message ?? (message || code);
    if (down.size === 0) log?.error({ reason }, 'Redis cannot be reached; waiting for it');
    down.add(client);
  };
  const onUp = (client: RedisClient): void => {
    if (down.delete(client) && down.size === 0) log?.info('Redis is back');
  };

  const open = (options: { isFailingFast?: boolean } = {}): RedisClient => {
    const client = openClient(backend.connection, options);
    clients.add(client);
    client.on('error', (error: RedisError) => onDown(client, error));
    client.on('ready', () => onUp(client));
    client.on('end', () => {
      down.delete(client);
      clients.delete(client);
    });
    return client;
  };

  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await Promise.all([...clients].map(close));
    await backend.stop();
  };

  return {
    source,
    /** One line about the chosen Redis. */
    description: backend.description,
    /**
     * The connection for BullMQ, whose commands wait until Redis is back: options of ioredis, or the client of a cluster,
     * which BullMQ duplicates for workers.
     */
    connection: 'nodes' in backend.connection ? open() : toWaitingOptions(backend.connection),
    /** Opens a client that waits until Redis is back. Disposal closes it. */
    connect: (): RedisClient => open(),
    /** Opens a client whose commands fail within a second without Redis. */
    connectFailingFast: (): RedisClient => open({ isFailingFast: true }),
    [Symbol.asyncDispose]: (): Promise<void> => (stopped ??= stop()),
  };
}

/** An error of a client. That of a cluster has the error of the node that was asked last. */
type RedisError = NodeJS.ErrnoException & { readonly lastNodeError?: Error };

async function close(client: RedisClient): Promise<void> {
  const closed = waitForEnd(client);
  // Between two attempts to connect there is nothing to close, and ioredis emits no event.
  const isOpen = client.status !== 'reconnecting' && client.status !== 'end';
  client.disconnect();
  if (isOpen) await closed;
}
