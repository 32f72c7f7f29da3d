import { SECOND } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { inspectRedis, type RedisState } from '../../crawl/queue/redis/inspect-redis.ts';
import { startRedis } from '../../crawl/queue/redis/start-redis.ts';
import { formatDuration, pluralize } from '../terminal/print.ts';

/** A difference between the clocks that is reported, and one with which the quota is not shared well. */
const NOTED_MS = SECOND;
const WRONG_MS = 10 * SECOND;

/** Connects to the Redis of the queue, and reports its form, its eviction policy and its clock. */
export async function checkRedis(
  { redisUrl, runtimeDir, childEnvironment }: Config,
  db: string,
): Promise<{ status: 'ok' | 'note' | 'wrong'; message: string; figures?: object }> {
  await using redis = await startRedis({ redisUrl, runtimeDir, storePath: db, environment: childEnvironment });
  // The others are started by trawl, on this machine.
  if (redis.source !== 'url')
    return { status: redis.source === 'embedded' ? 'note' : 'ok', message: redis.description };
  const client = redis.connect();
  await client.ping();
  const state = await inspectRedis(client);
  const { evictionPolicies, clockOffsetMs } = state;
  const policies = evictionPolicies.filter((policy) => policy !== 'noeviction');
  const isClockWrong = Math.abs(clockOffsetMs) > WRONG_MS;
  const faults = [
    ...(policies.length > 0
      ? [`maxmemory-policy is ${policies.join(', ')}: set noeviction, or jobs may be evicted`]
      : []),
    ...(Math.abs(clockOffsetMs) > NOTED_MS ? [describeClock(clockOffsetMs)] : []),
  ];
  return {
    status: policies.length > 0 || isClockWrong ? 'wrong' : faults.length > 0 || lacksReplica(state) ? 'note' : 'ok',
    message: [redis.description + describeReplicas(state), ...faults].join('; '),
    figures: { clockOffsetMs: Math.round(clockOffsetMs) },
  };
}

const lacksReplica = ({ cluster }: RedisState): boolean => (cluster?.withoutReplica ?? 0) > 0;

function describeReplicas({ cluster, replicas }: RedisState): string {
  if (!cluster) return replicas === 0 ? '' : `, with ${pluralize(replicas, 'replica')}`;
  const { masters, withoutReplica } = cluster;
  const lack = withoutReplica === 0 ? '' : `, ${withoutReplica} without a replica: crawls wait if one of them stops`;
  return `, with ${pluralize(masters, 'master')}${lack}`;
}

function describeClock(offsetMs: number): string {
  const side = offsetMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${formatDuration(Math.abs(offsetMs))} ${side} that of Redis: synchronise them (NTP), since hosts share the quota by time`;
}
