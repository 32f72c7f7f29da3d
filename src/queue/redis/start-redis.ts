import { Redis, type RedisOptions } from 'ioredis';
import { SECOND } from '../../clock.ts';
import { TrawlError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type RedisBackend, waitForEnd, type RedisConnection } from './backend.ts';
import { startEmbeddedServer } from './embedded-server.ts';
import { joinPrivateServer } from './private-server.ts';
import { connectToRedisUrl } from './redis-url.ts';
import { resolveRuntimeFiles } from './runtime-dir.ts';

export type RedisSource = 'url' | 'server' | 'embedded';

/** The queue's Redis: whichever was taken, it is used in the same way. Disposing ends it when nobody else uses it. */
export interface QueueRedis extends AsyncDisposable {
  readonly source: RedisSource;
  /** One line for people: which Redis was taken. */
  readonly description: string;
  /** Options of ioredis, as BullMQ takes them: commands wait out an outage. */
  readonly connection: RedisConnection & { readonly maxRetriesPerRequest: null };
  /** A new client that waits until Redis is back; it is closed with the engine if not before. */
  connect(): Redis;
  /** The same, whose commands fail within a second where Redis is gone. */
  connectFailingFast(): Redis;
}

export interface StartRedisOptions {
  /** REDIS_URL, if set. */
  readonly redisUrl?: string | undefined;
  /** The store's file: processes that name the same one share one private Redis. */
  readonly storePath: string;
  /** XDG_RUNTIME_DIR, if set. */
  readonly runtimeDir?: string | undefined;
  /** The environment of a server that is started. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log?: Log | undefined;
  /** The kinds to try, for tests; all by default. */
  readonly allow?: readonly RedisSource[] | undefined;
}

/** In the order tried. Undefined: this kind is not to be had here, try the next. */
const BACKENDS: Readonly<Record<RedisSource, (options: StartRedisOptions) => Promise<RedisBackend | undefined>>> = {
  url: async ({ redisUrl }) => (redisUrl ? await connectToRedisUrl(redisUrl) : undefined),
  server: async ({ storePath, runtimeDir, environment, log }) =>
    await joinPrivateServer({ files: resolveRuntimeFiles(storePath, runtimeDir), environment, log }),
  embedded: async ({ storePath, runtimeDir }) => await startEmbeddedServer(resolveRuntimeFiles(storePath, runtimeDir)),
};

const KINDS = Object.keys(BACKENDS) as RedisSource[];

/**
 * REDIS_URL, else a redis-server of our own, else the built-in engine.
 * @throws TrawlError when what REDIS_URL names does not answer, or another process has the built-in engine.
 */
export async function startRedis(options: StartRedisOptions): Promise<QueueRedis> {
  for (const kind of KINDS.filter((each) => options.allow?.includes(each) ?? true)) {
    const backend = await BACKENDS[kind](options);
    if (backend) return createEngine(kind, backend, options.log);
  }
  throw new TrawlError('there is no Redis to use', { hint: 'Install redis-server, or set REDIS_URL.' });
}

function createEngine(kind: RedisSource, backend: RedisBackend, log: Log | undefined): QueueRedis {
  const connection = { ...backend.connection, maxRetriesPerRequest: null };
  const clients = new Set<Redis>();
  const down = new Set<Redis>();

  const isDown = (client: Redis, error: NodeJS.ErrnoException): void => {
    // Of the error only its words: ioredis attaches the command, and that of a login holds the password.
    if (down.size === 0) log?.error({ reason: error.message || error.code }, 'Redis is out of reach; waiting for it');
    down.add(client);
  };
  const isUp = (client: Redis): void => {
    if (down.delete(client) && down.size === 0) log?.info('Redis is back');
  };

  const open = (more: RedisOptions): Redis => {
    const client = new Redis({ ...connection, ...more });
    clients.add(client);
    client.on('error', (error: NodeJS.ErrnoException) => isDown(client, error));
    client.on('ready', () => isUp(client));
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
    source: kind,
    description: backend.description,
    connection,
    connect: () => open({}),
    connectFailingFast: () => open({ maxRetriesPerRequest: 0, commandTimeout: SECOND }),
    [Symbol.asyncDispose]: () => (stopped ??= stop()),
  };
}

async function close(client: Redis): Promise<void> {
  const closed = waitForEnd(client);
  // Between two attempts to connect there is nothing to close, and ioredis says nothing then.
  const isOpen = client.status !== 'reconnecting' && client.status !== 'end';
  client.disconnect();
  if (isOpen) await closed;
}
