import { setTimeout as delay } from 'node:timers/promises';

/** Time as a parameter (invariant 13): production passes `systemClock`, tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/** The units of durations that people type, in milliseconds. */
export const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: 60 * MINUTE, d: DAY };

/** Returns the time `age` milliseconds ago; for an age of a day or more, the start of that day (UTC). */
export const resolveAge = (now: number, age: number): number =>
  age < DAY ? now - age : Math.floor((now - age) / DAY) * DAY;

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    await delay(ms, undefined, signal ? { signal } : {});
  },
};

/** A number in [0, 1): randomness as a parameter (invariant 13). */
export type Random = () => number;

/** The day of a time, UTC: `2025-01-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
