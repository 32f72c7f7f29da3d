import type { RedisOptions } from 'ioredis';
import { TrawlError } from '../../errors.ts';
import type { RedisClient } from '../../redis-client.ts';
import type { RedisConnection, ServerConnection } from './backend.ts';
import { connectOnce } from './open-client.ts';

/**
 * Returns how to connect to what answers at an address: a node of a cluster leads to the cluster, and a Sentinel to the
 * primary of its group. Addresses that say what they are remain. @throws TrawlError; the error of the connection
 */
export async function detectTopology(named: RedisConnection, limits: RedisOptions): Promise<RedisConnection> {
  if ('nodes' in named || named.sentinels) return named;
  // A Sentinel and a node of a cluster have no databases.
  const { db: _db, ...server } = named;
  return await connectOnce(server, { ...limits, enableReadyCheck: false }, async (redis) => {
    const mode = /^redis_mode:(\w+)/m.exec(await redis.info('server'))?.[1];
    const found = mode === 'cluster' ? toCluster(named) : mode === 'sentinel' ? await toSentinel(named, redis) : named;
    redis.disconnect();
    return found;
  });
}

function toCluster({ host, port, db, username, password, tls }: ServerConnection): RedisConnection {
  if (host === undefined || port === undefined)
    throw new TrawlError('a node of a Redis Cluster has to be named by host and port', {
      hint: 'Write redis+cluster://host:port,host:port.',
    });
  if (db) throw new TrawlError('this is a node of a Redis Cluster, which has only database 0');
  const login = { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
  return { nodes: [{ host, port }], ...login };
}

async function toSentinel(named: ServerConnection, redis: RedisClient): Promise<RedisConnection> {
  const { host, port, password, tls, db } = named;
  const groups = (await redis.call('SENTINEL', 'MASTERS')) as string[][];
  const names = groups.map((fields) => fields[fields.indexOf('name') + 1]!);
  const form = `${tls ? 'rediss' : 'redis'}+sentinel://`;
  // It may be that of the Sentinel, or that of Redis.
  if (password)
    throw new TrawlError('this is a Sentinel, and whose password REDIS_URL has is not clear', {
      hint: `Write ${form}user:password@${host}:${port}/${names[0] ?? 'name'}, with ?sentinel_password=… if the Sentinels have one.`,
    });
  if (names.length !== 1)
    throw new TrawlError(
      `this is a Sentinel of ${names.length === 0 ? 'no group' : `the groups ${names.join(', ')}`}`,
      {
        hint: `Name one: ${form}${host}:${port}/${names[0] ?? 'name'}.`,
      },
    );
  const sentinelTls = tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true };
  return {
    sentinels: [{ ...(host && { host }), ...(port && { port }) }],
    name: names[0]!,
    ...(db !== undefined && { db }),
    ...sentinelTls,
  };
}
