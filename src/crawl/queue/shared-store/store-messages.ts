import { deserialize } from 'node:v8';
import { SECOND, systemClock } from '#base/clock.ts';
import type { RedisClient } from '#base/redis-client.ts';

/** Messages between the workers of other hosts and the process that shares its store: calls and answers, in lists of Redis. */

/** A call of a client: its id, the number of the call, and the message. */
export type SentCall = readonly [client: string, call: number, message: Buffer];

/** The most messages that are taken at once. */
const MOST_MESSAGES = 64;
/** How long a message is waited for before the end is noticed, in seconds. */
const WAIT_S = 1;

/** How long to wait after an error of Redis. */
const RETRY_MS = 2 * SECOND;

/** Passes on the messages of a list, oldest first, until the signal. Waits if Redis fails, and ignores invalid messages. */
export async function receiveMessages(
  redis: RedisClient,
  nameKey: () => string,
  { signal, onMessage }: { readonly signal: AbortSignal; readonly onMessage: (message: unknown) => void },
): Promise<void> {
  while (!signal.aborted) {
    const [, messages = []] =
      (await redis
        .blmpopBuffer(WAIT_S, 1, nameKey(), 'RIGHT', 'COUNT', MOST_MESSAGES)
        .catch(() => systemClock.sleep(RETRY_MS, signal).catch(() => undefined))) ?? [];
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
