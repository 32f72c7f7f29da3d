import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';
import { describeError, TrawlError, UsageError } from '../../errors.ts';
import type { RedisBackend, RedisConnection } from './backend.ts';

const PATIENCE_MS = 3000;

/**
 * The Redis that REDIS_URL names. It has to answer now: an endless reconnect would look like a hung crawl. Whoever takes
 * part also writes, so one harmless write has to succeed; who only looks passes `isVisit`. @throws TrawlError
 */
export async function connectToRedisUrl(url: string, { isVisit = false } = {}): Promise<RedisBackend> {
  const connection = parseRedisUrl(url);
  const place = connection.path ?? `${connection.host}:${connection.port}`;
  const problem = await probe(connection, isVisit);
  if (problem !== undefined) {
    const words = connection.password ? problem.says.replaceAll(connection.password, '***') : problem.says;
    throw new TrawlError(`cannot use Redis at ${place} (REDIS_URL): ${words}`, {
      hint: problem.hint ?? 'Start it or correct REDIS_URL; without REDIS_URL trawl brings its own.',
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

interface Problem {
  /** Words of ioredis or of the server, which may hold anything. */
  readonly says: string;
  readonly hint?: string | undefined;
}

/** A key that no program reads, gone after a second at the latest. */
const checkKey = (): string => `trawl:check:${randomUUID()}`;
const CHECK_LIFE_MS = 1000;

/** What is wrong with a Redis, or undefined when it answers and, except for a visit, takes writes and scripts. */
async function probe(connection: RedisConnection, isVisit: boolean): Promise<Problem | undefined> {
  let reason: Error | undefined;
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
  redis.on('error', (error) => (reason ??= error));
  try {
    await redis.connect();
    await redis.ping();
    if (connection.db !== undefined) await redis.select(connection.db);
    if (isVisit) return undefined;
    const key = checkKey();
    await redis.set(key, '', 'PX', CHECK_LIFE_MS);
    await redis.del(key);
    await redis.eval('return 1', 0);
    return undefined;
  } catch (error) {
    const failure = reason ?? (error as Error);
    return (await otherProtocol(connection, failure)) ?? { says: describeError(failure), hint: hintFor(failure) };
  } finally {
    redis.disconnect();
  }
}

/** Set where Redis is up and refuses: then to start it, or to leave REDIS_URL out, is no advice. */
function hintFor(failure: Error): string | undefined {
  if (failure.message.startsWith('READONLY')) return 'Set REDIS_URL to the primary.';
  if (failure.message.startsWith('NOPERM'))
    return 'Give its user the keys and commands of trawl, such as: ACL SETUSER trawl on >password ~trawl:* ~{trawl-* &trawl:* +@all -@dangerous +info +client';
  return undefined;
}

/** Of a server that speaks another protocol than the address says. */
async function otherProtocol(connection: RedisConnection, failure: Error): Promise<Problem | undefined> {
  if (connection.tls) {
    const isPlain = await answersPlainly(connection);
    return isPlain ? { says: 'it does not speak TLS', hint: 'Write redis:// in place of rediss://.' } : undefined;
  }
  const [, first] = /^Protocol error, got (".*?") as reply type byte/.exec(failure.message) ?? [];
  if (first === undefined) return undefined;
  return {
    says: first === '"H"' ? 'what answers there speaks HTTP' : 'what answers there is not Redis',
    hint: 'Correct REDIS_URL: it may be the port of another program. With TLS it begins with rediss://.',
  };
}

/** Whether a Redis without TLS is there. Sends a PING, and no password. */
async function answersPlainly({ host, port }: RedisConnection): Promise<boolean> {
  const socket = connect({ host: host ?? '127.0.0.1', port: port ?? 6379, timeout: PATIENCE_MS });
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'timeout').then(() => [''])])) as [
      unknown,
    ];
    return /^(\+PONG|-NOAUTH|-ERR)/.test(String(answer));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
