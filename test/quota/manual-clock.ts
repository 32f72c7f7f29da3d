import type { Clock } from '#base/clock.ts';

/** A clock that stands still until a test lets time pass. */
export interface ManualClock extends Clock {
  /** Lets time pass, and wakes who has slept long enough. */
  pass(ms: number): void;
}

export function createManualClock(start: number): ManualClock {
  let now = start;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const stop = (): void => {
          sleepers.delete(sleeper);
          reject(signal!.reason as Error);
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    pass(ms) {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}
