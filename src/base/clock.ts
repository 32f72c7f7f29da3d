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

/** Parses a day (2024-01-31) or a time (2024-01-31T12:00:00Z). Returns milliseconds UTC; undefined for any other text. */
export function parseDayOrTime(text: string): number | undefined {
  const value = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse accepts 2024-02-31 as a day of March.
  return Number.isNaN(value) || new Date(value).toISOString().slice(0, 10) !== text.slice(0, 10) ? undefined : value;
}

/** Parses a duration such as 20s, 15m, 24h or 30d. Returns milliseconds; undefined for any other text. */
export function parseAge(text: string): number | undefined {
  const [, digits, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * TIME_UNITS[unit!]!;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    await delay(ms, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted());
  },
};

/** A number in [0, 1): randomness as a parameter (invariant 13). */
export type Random = () => number;
