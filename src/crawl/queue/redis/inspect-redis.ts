import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '#base/redis-client.ts';

/** What a Redis says about itself. */
export interface RedisState {
  /** Of a cluster: its masters, and how many of them have no replica. */
  readonly cluster: { readonly masters: number; readonly withoutReplica: number } | undefined;
  /** The replicas that are connected to the server; those of a cluster are counted there. */
  readonly replicas: number;
  /** `maxmemory-policy` of the servers, each once. Any but `noeviction` may evict jobs and ledgers. */
  readonly evictionPolicies: readonly string[];
  /** How far the clock of a server is behind that of this process at least, in milliseconds; negative if it is ahead. */
  readonly clockOffsetMs: number;
}

/** Asks all servers of a Redis that accept writes. */
export async function inspectRedis(redis: RedisClient): Promise<RedisState> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const states = await Promise.all(servers.map(readServer));
  const offsets = states.map(({ clockOffsetMs }) => clockOffsetMs);
  const withoutReplica = states.filter(({ replicas }) => replicas === 0).length;
  return {
    cluster: redis instanceof Cluster ? { masters: servers.length, withoutReplica } : undefined,
    replicas: states.reduce((sum, { replicas }) => sum + replicas, 0),
    evictionPolicies: [...new Set(states.flatMap(({ policy }) => policy ?? []))],
    clockOffsetMs: offsets.toSorted((a, b) => Math.abs(b) - Math.abs(a))[0] ?? 0,
  };
}

async function readServer(
  server: Redis,
): Promise<{ replicas: number; policy: string | undefined; clockOffsetMs: number }> {
  const clockOffsetMs = await measureClockOffset(server);
  const info = await server.info();
  return {
    replicas: Number(/^connected_slaves:(\d+)/m.exec(info)?.[1] ?? 0),
    policy: /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1],
    clockOffsetMs,
  };
}

/** Attempts, of which the one with the fastest reply counts. */
const CLOCK_READINGS = 5;

/** Returns the part of the difference of the clocks that the time of the reply cannot explain. */
async function measureClockOffset(server: Redis): Promise<number> {
  let best = { roundTrip: Infinity, offset: 0 };
  for (let n = 0; n < CLOCK_READINGS; n++) {
    const start = Date.now();
    const [seconds, micros] = (await server.time()) as unknown as [string, string];
    const end = Date.now();
    const theirs = Number(seconds) * 1000 + Number(micros) / 1000;
    if (end - start < best.roundTrip) best = { roundTrip: end - start, offset: (start + end) / 2 - theirs };
  }
  return Math.sign(best.offset) * Math.max(0, Math.abs(best.offset) - best.roundTrip / 2 - 1);
}
