import type { Clock } from '#base/clock.ts';

/** Events in order of virtual time. Only events advance the time. */
export interface Events extends Clock {
  /** Schedules an event; events at the same time run in the order of scheduling. */
  after(ms: number, run: () => void): void;
  /** Runs the next event; false if there is none. */
  next(): boolean;
  readonly count: number;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

export function createEvents(start: number): Events {
  let now = start;
  let count = 0;
  /** Latest first: there are never many. */
  const due: Event[] = [];

  const events: Events = {
    get count() {
      return count;
    },
    now: () => now,
    after(ms, run) {
      const at = now + Math.max(0, ms);
      let place = due.length;
      while (place > 0 && due[place - 1]!.at <= at) place -= 1;
      due.splice(place, 0, { at, run });
    },
    next() {
      const event = due.pop();
      if (!event) return false;
      now = event.at;
      count += 1;
      event.run();
      return true;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const stop = () => reject(signal!.reason as Error);
        signal?.addEventListener('abort', stop, { once: true });
        events.after(ms, () => {
          signal?.removeEventListener('abort', stop);
          if (!signal?.aborted) resolve();
        });
      }),
  };
  return events;
}

/** Resolves when all promises and turns of the event loop at this time are done. */
export async function waitUntilIdle(): Promise<void> {
  do await new Promise<void>((resolve) => void setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}
