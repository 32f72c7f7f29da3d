import type { Clock } from '../../src/clock.ts';

/** What is to happen, in order of virtual time. Nothing else makes time pass. */
export interface Events extends Clock {
  /** Happens in so many milliseconds; events of one moment happen in the order they were made. */
  after(ms: number, run: () => void): void;
  /** Lets the next event happen; false when there is none. */
  next(): boolean;
  /** Events that have happened. */
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

/** Resolves when nothing is left to do at this moment: every promise and every turn of the event loop that follows. */
export async function waitUntilIdle(): Promise<void> {
  do await new Promise<void>((resolve) => void setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}
