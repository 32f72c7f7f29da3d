import { Redis } from 'ioredis';
import { describe, TrawlError, UsageError } from '../errors.ts';
import type { Backend, RedisConnection } from './redis-backend.ts';

const PATIENCE_MS = 3000;

/** The Redis that REDIS_URL names. It has to answer now: an endless reconnect would look like a hung crawl. */
export async function useRedisUrl(url: string): Promise<Backend> {
  const connection = parseRedisUrl(url);
  const place = connection.path ?? `${connection.host}:${connection.port}`;
  const problem = await probe(connection);
  if (problem !== undefined) {
    const words = connection.password ? problem.replaceAll(connection.password, '***') : problem;
    throw new TrawlError(`cannot use Redis at ${place} (REDIS_URL): ${words}`, {
      hint: 'Start it or correct REDIS_URL; without REDIS_URL trawl brings its own.',
    });
  }
  return { connection, description: `Redis at ${place} (REDIS_URL)`, stop: async () => {} };
}

/** `redis://user:password@host:port/db`, `rediss://…` with TLS, or `unix:///path/to/socket?db=1`. */
export function parseRedisUrl(text: string): RedisConnection {
  // The address may hold a password, so no message repeats it.
  if (!URL.canParse(text))
    throw new UsageError('REDIS_URL is not an address', { hint: 'Example: redis://127.0.0.1:6379' });
  const url = new URL(text);
  const isSocket = url.protocol === 'unix:';
  const db = url.searchParams.get('db') ?? (isSocket ? '' : url.pathname.slice(1));
  if (!/^\d*$/.test(db)) throw new UsageError('REDIS_URL ends with something that is not the number of a database');
  return {
    ...(isSocket
      ? { path: decode(url.pathname) }
      : { host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(url.port || 6379) }),
    ...(url.username && { username: decode(url.username) }),
    ...(url.password && { password: decode(url.password) }),
    ...(db && { db: Number(db) }),
    ...(url.protocol === 'rediss:' && { tls: {} }),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is wrong with a Redis, in words, or undefined when it answers. The words are ioredis's and may hold anything. */
async function probe(connection: RedisConnection): Promise<string | undefined> {
  let reason: string | undefined;
  const redis = new Redis({
    ...connection,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The promise below only says that the connection closed; the event says why.
  redis.on('error', (error) => (reason ??= describe(error)));
  try {
    await redis.connect();
    await redis.ping();
    if (connection.db !== undefined) await redis.select(connection.db);
    return undefined;
  } catch (error) {
    return reason ?? describe(error);
  } finally {
    redis.disconnect();
  }
}
