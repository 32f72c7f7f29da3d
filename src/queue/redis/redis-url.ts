import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describeError, TrawlError, UsageError } from '../../errors.ts';
import { connectOnce, type RedisBackend, type RedisConnection } from './backend.ts';

const TIMEOUT_MS = 3000;

/**
 * Connects to the Redis of REDIS_URL. It has to respond, since endless reconnecting would look like a hung crawl, and to
 * accept a test write unless `isReadOnly` is set. @throws TrawlError
 */
export async function connectToRedisUrl(url: string, { isReadOnly = false } = {}): Promise<RedisBackend> {
  const connection = parseRedisUrl(url);
  const place = connection.path ?? `${connection.host}:${connection.port}`;
  const problem = await probe(connection, isReadOnly);
  if (problem !== undefined) {
    const { message } = problem;
    const reason = connection.password ? message.replaceAll(connection.password, '***') : message;
    throw new TrawlError(`cannot use Redis at ${place} (REDIS_URL): ${reason}`, {
      hint: problem.hint ?? 'Start it or correct REDIS_URL; without REDIS_URL trawl brings its own.',
    });
  }
  return { connection, description: `Redis at ${place} (REDIS_URL)`, stop: async () => {} };
}

/** `redis://user:password@host:port/db`, `rediss://…` with TLS, or `unix:///path/to/socket?db=1`. */
export function parseRedisUrl(text: string): RedisConnection {
  // The address may contain a password, so no message repeats it.
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
  /** A text of ioredis or of the server, which may contain the password. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The lifetime of the key of the test write. */
const CHECK_LIFE_MS = 1000;

/** Returns a problem of a Redis; undefined if it responds and, unless `isReadOnly`, accepts writes and scripts. */
async function probe(connection: RedisConnection, isReadOnly: boolean): Promise<Problem | undefined> {
  const timeouts = { connectTimeout: TIMEOUT_MS, commandTimeout: TIMEOUT_MS, disconnectTimeout: 100 };
  try {
    await connectOnce({ ...connection, ...timeouts, enableReadyCheck: false }, async (redis) => {
      await redis.ping();
      if (connection.db !== undefined) await redis.select(connection.db);
      if (!isReadOnly) {
        const key = `trawl:check:${randomUUID()}`;
        await redis.set(key, '', 'PX', CHECK_LIFE_MS);
        await redis.del(key);
        await redis.eval('return 1', 0);
      }
      redis.disconnect();
    });
    return undefined;
  } catch (error) {
    const failure = error as Error;
    return (
      (await detectProtocolError(connection, failure)) ?? { message: describeError(failure), hint: hintFor(failure) }
    );
  }
}

/** Returns a hint for a Redis that works but refuses commands. */
function hintFor(failure: Error): string | undefined {
  if (failure.message.startsWith('READONLY')) return 'Set REDIS_URL to the primary.';
  if (failure.message.startsWith('NOPERM'))
    return 'Give its user the keys and commands of trawl, such as: ACL SETUSER trawl on >password ~trawl:* ~{trawl-* &trawl:* +@all -@dangerous +info +client';
  return undefined;
}

/** Returns the problem of a server whose protocol differs from that of the address. */
async function detectProtocolError(connection: RedisConnection, failure: Error): Promise<Problem | undefined> {
  if (connection.tls) {
    return (await respondsWithoutTls(connection))
      ? { message: 'it does not speak TLS', hint: 'Write redis:// in place of rediss://.' }
      : undefined;
  }
  const [, first] = /^Protocol error, got (".*?") as reply type byte/.exec(failure.message) ?? [];
  if (first === undefined) return undefined;
  return {
    message: first === '"H"' ? 'an HTTP server responds there' : 'another program than Redis responds there',
    hint: 'Correct REDIS_URL: it may be the port of another program. With TLS it begins with rediss://.',
  };
}

/** Whether a Redis responds without TLS. Sends a PING, and no password. */
async function respondsWithoutTls({ host, port }: RedisConnection): Promise<boolean> {
  const socket = connect({ host: host ?? '127.0.0.1', port: port ?? 6379, timeout: TIMEOUT_MS });
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
