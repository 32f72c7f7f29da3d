import { setTimeout as delay } from 'node:timers/promises';

/** Time as a parameter (law 13): production passes `systemClock`, tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    await delay(ms, undefined, signal ? { signal } : {});
  },
};

/** A number in [0, 1): randomness as a parameter (law 13). */
export type Random = () => number;
