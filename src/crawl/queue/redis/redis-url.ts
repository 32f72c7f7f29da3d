import { TrawlError } from '#base/errors.ts';
import type { RedisClient } from '#base/redis-client.ts';
import { findConnectionProblem } from './connection-problem.ts';
import { connectOnce } from './open-client.ts';
import { parseRedisUrl } from './parse-redis-url.ts';
import type { RedisBackend, RedisConnection } from './redis-backend.ts';

/** The longest time to connect, and for a reply. */
const REDIS_TIMEOUTS = { connectTimeout: 3000, commandTimeout: 3000, disconnectTimeout: 100 } as const;

/**
 * Connects to the Redis of REDIS_URL: one server, the primary of a Sentinel group, or a cluster. It has to respond, since
 * endless reconnecting would look like a hung crawl, and to accept a test write unless `isReadOnly` is set. No error
 * contains a password. @throws TrawlError
 */
export async function connectToRedisUrl(url: string, { isReadOnly = false } = {}): Promise<RedisBackend> {
  const connection = parseRedisUrl(url);
  try {
    await probe(connection, isReadOnly);
    return { connection, description: `${describePlace(connection)} (REDIS_URL)`, stop: async () => {} };
  } catch (error) {
    const { message, hint } = findConnectionProblem(connection, error as Error);
    throw new TrawlError(`cannot use ${describePlace(connection)} (REDIS_URL): ${hidePasswords(message, connection)}`, {
      hint: hint ?? 'Start it or correct REDIS_URL; without REDIS_URL trawl brings its own.',
    });
  }
}

/** The lifetime of the key of the test write. */
const CHECK_LIFE_MS = 1000;

/** Checks that a Redis responds and, unless `isReadOnly`, accepts writes and scripts. @throws the error of Redis */
async function probe(connection: RedisConnection, isReadOnly: boolean): Promise<void> {
  const { randomUUID } = await import('node:crypto');
  await connectOnce(connection, { ...REDIS_TIMEOUTS, enableReadyCheck: false }, async (redis) => {
    await requireNamedTopology(redis, connection);
    if ('db' in connection && connection.db !== undefined) await redis.select(connection.db);
    if (!isReadOnly) {
      const key = `trawl:check:${randomUUID()}`;
      await redis.set(key, '', 'PX', CHECK_LIFE_MS);
      await redis.del(key);
      await redis.eval('return 1', 1, key);
    }
    redis.disconnect();
  });
}

/** A node of a cluster and a Sentinel answer like a server, but cannot be used as one. @throws TrawlError */
async function requireNamedTopology(redis: RedisClient, connection: RedisConnection): Promise<void> {
  if ('nodes' in connection || connection.sentinels) return void (await redis.ping());
  const mode = /^redis_mode:(cluster|sentinel)/m.exec(await redis.info('server'))?.[1];
  if (mode === undefined) return;
  const scheme = `${connection.tls ? 'rediss' : 'redis'}+${mode}`;
  throw new TrawlError(`this is a ${mode === 'cluster' ? 'node of a Redis Cluster' : 'Sentinel'}`, {
    hint: `Write ${scheme}://host:port,host:port${mode === 'cluster' ? '' : '/name'}.`,
  });
}

const formatHosts = (hosts: readonly { host?: string | undefined; port?: number | undefined }[]): string =>
  hosts.map(({ host, port }) => `${host}:${port}`).join(', ');

/** Returns what a connection leads to, without its password. */
function describePlace(connection: RedisConnection): string {
  if ('nodes' in connection) return `the Redis Cluster of ${formatHosts(connection.nodes)}`;
  const { sentinels, name, path } = connection;
  if (sentinels) return `Redis ${name} of the Sentinels at ${formatHosts(sentinels)}`;
  return `Redis at ${path ?? formatHosts([connection])}`;
}

/** Texts of ioredis and of the server may contain a password. */
function hidePasswords(text: string, connection: RedisConnection): string {
  const passwords = [connection.password, 'nodes' in connection ? undefined : connection.sentinelPassword];
  return passwords.reduce<string>((hidden, password) => (password ? hidden.replaceAll(password, '***') : hidden), text);
}
