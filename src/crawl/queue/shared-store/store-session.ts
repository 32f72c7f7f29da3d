import { SECOND } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import type { JoinedWorker } from '#crawl/queue/queue-snapshot.ts';

/** The session of a shared store in Redis, and the workers of other hosts that have joined it. */

/** The state of a shared store, which its process writes again and again. */
export interface StoreSession {
  /** A process that shares the store has another one after each start, and after Redis has lost data: then calls are lost. */
  readonly session: string;
  readonly storeId: string;
  readonly version: string;
  /** The service that it is crawled from. */
  readonly serviceHost: string;
  /** How far its clock is ahead of that of Redis, in milliseconds. */
  readonly clockOffset: number;
  /** Why crawls wait for its disk. */
  readonly shortage: GateHold | undefined;
}

/** How often sessions and workers are written and read. */
export const REFRESH_MS = 2 * SECOND;
/** A session or a worker that was not written for so long is gone. */
export const SILENT_MS = 10 * SECOND;

/** The key of a hash with the prefixes of all shared stores, by their ids. */
export const SHARED_STORES = 'trawl:shared-stores';

/** The keys of a shared store. Each session has its own calls. @param prefix that of its queues */
export const sharedKeys = (prefix: string) => ({
  session: `${prefix}:store`,
  workers: `${prefix}:store:workers`,
  calls: (session: string): string => `${prefix}:store:calls:${session}`,
  answers: (client: string): string => `${prefix}:store:answers:${client}`,
});

/** The longest answer of Redis that shows its time exactly enough. */
const EXACT_MS = 100;

/** Returns a session, and how far the clock of this machine is ahead of that of Redis, in milliseconds. */
export async function readSession(
  redis: RedisClient,
  key: string,
): Promise<{ readonly session: StoreSession | undefined; readonly offset: number; readonly isExact: boolean }> {
  const sentAt = Date.now();
  // The node of a cluster that has the key: clocks of others may differ.
  const script = "return {redis.call('get', KEYS[1]), redis.call('time')}";
  const [text, [seconds, micros]] = (await redis.eval(script, 1, key)) as [string | null, [string, string]];
  const redisTime = Number(seconds) * SECOND + Number(micros) / 1000;
  const tookMs = Date.now() - sentAt;
  return {
    session: text === null ? undefined : (JSON.parse(text) as StoreSession),
    offset: Math.round(sentAt + tookMs / 2 - redisTime),
    isExact: tookMs < EXACT_MS,
  };
}

/** Returns the workers on other hosts. @param prefix that of the queues of the store */
export async function readJoinedWorkers(redis: RedisClient, prefix: string): Promise<JoinedWorker[]> {
  const keys = sharedKeys(prefix);
  const { session, offset } = await readSession(redis, keys.session);
  if (!session) return [];
  const now = Date.now() - offset + session.clockOffset;
  return Object.values(await redis.hgetall(keys.workers))
    .map((text) => JSON.parse(text) as JoinedWorker)
    .filter(({ seenAt }) => now - seenAt < SILENT_MS);
}
