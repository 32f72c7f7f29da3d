import { deserialize } from 'node:v8';
import { SECOND, systemClock } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import type { JoinedWorker } from '#crawl/queue/queue-snapshot.ts';

/** What Redis has of a store that workers on other hosts share: its session, their calls, and the answers to them. */

/** The state of a shared store, which its process writes again and again. */
export interface StoreSession {
  /** A process that shares the store has another one after each start, and after Redis has lost data: then calls are lost. */
  readonly session: string;
  readonly storeId: string;
  readonly version: string;
  /** The service that it is crawled from. */
  readonly serviceHost: string;
  /** What its clock is ahead of that of Redis, in milliseconds. */
  readonly clockOffset: number;
  /** Why crawls wait for its disk. */
  readonly shortage: GateHold | undefined;
}

/** How often sessions and workers are written and read. */
export const REFRESH_MS = 2 * SECOND;
/** A session or a worker that was not written for so long is gone. */
export const SILENT_MS = 10 * SECOND;

/** The names of the shared stores of a Redis, by their ids. */
export const SHARED_STORES = 'trawl:shared-stores';

/** The most messages that are taken at once. */
const MOST_MESSAGES = 64;
/** How long a message is waited for before the end is noticed, in seconds. */
const WAIT_S = 1;

/** Passes on the messages of a list, oldest first, until the signal. Waits where Redis fails, and leaves out what is no message. */
export async function receiveMessages(
  redis: RedisClient,
  nameKey: () => string,
  { signal, onMessage }: { readonly signal: AbortSignal; readonly onMessage: (message: unknown) => void },
): Promise<void> {
  while (!signal.aborted) {
    const [, messages = []] =
      (await redis
        .blmpopBuffer(WAIT_S, 1, nameKey(), 'RIGHT', 'COUNT', MOST_MESSAGES)
        .catch(() => systemClock.sleep(REFRESH_MS, signal).catch(() => undefined))) ?? [];
    for (const message of messages as Buffer[]) {
      try {
        onMessage(deserialize(message));
      } catch {
        // Another program wrote to the list.
      }
    }
  }
}

/** Returns a function that collects messages, and passes those of the same turn of the event loop on together. */
export function collectMessages<T>(send: (messages: T[]) => void): (message: T) => void {
  let waiting: T[] = [];
  return (message) => {
    waiting.push(message);
    if (waiting.length > 1) return;
    setImmediate(() => {
      const messages = waiting;
      waiting = [];
      send(messages);
    });
  };
}

/** Messages that nobody takes for so long expire, and a call without an answer is lost. */
export const LOST_MS = 60 * SECOND;

/** The keys of a shared store. Each session has its own calls. @param prefix that of its queues */
export const sharedKeys = (prefix: string) => ({
  session: `${prefix}:store`,
  workers: `${prefix}:store:workers`,
  calls: (session: string): string => `${prefix}:store:calls:${session}`,
  answers: (client: string): string => `${prefix}:store:answers:${client}`,
});

/** An answer of Redis within this time tells its clock well enough. */
const EXACT_MS = 100;

/** Returns a session, and what the clock of this machine is ahead of that of Redis, in milliseconds. */
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
