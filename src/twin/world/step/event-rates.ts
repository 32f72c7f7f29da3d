import { DAY, MINUTE } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import { timeOfDay } from '#twin/world/times-and-ids.ts';

/** Events per account and day. docs/twin.md has a table of them. */
export const RATES_PER_DAY = {
  tweet: 0.02,
  reply: 0.012,
  like: 0.1,
  edit: 0.004,
  deletion: 0.006,
  follow: 0.05,
  unfollow: 0.03,
  profileChange: 0.006,
  rename: 0.002,
} as const;

export type EventKind = keyof typeof RATES_PER_DAY;

/** Suspensions per account and day. They precede all other events of a step: suspended accounts are inactive. */
export const SUSPENSIONS_PER_DAY = 0.0005;

/** The share of freed handles that another account takes within an hour. */
export const TAKEN_HANDLES = 0.2;

export interface ScheduledEvent {
  readonly kind: EventKind;
  /** Milliseconds UTC; no two events have the same time. */
  readonly at: number;
}

/** Returns a whole number whose mean is `expected`. */
export const drawCount = (random: SeededRandom, expected: number): number =>
  Math.floor(expected) + (random.chance(expected - Math.floor(expected)) ? 1 : 0);

/** Draws all events of a step after `from`, in chronological order; there are fewer at night. */
export function scheduleEvents(
  random: SeededRandom,
  { accounts, from, days }: { readonly accounts: number; readonly from: number; readonly days: number },
): ScheduledEvent[] {
  const events: ScheduledEvent[] = [];
  for (const [kind, rate] of Object.entries(RATES_PER_DAY) as [EventKind, number][]) {
    for (let remaining = drawCount(random, rate * accounts * days); remaining > 0; remaining -= 1) {
      const dayStart = from + random.integerBelow(days) * DAY;
      events.push({ kind, at: dayStart + Math.floor(timeOfDay(random.float()) * (DAY - 60 * MINUTE)) });
    }
  }
  let last = from;
  return events
    .toSorted((a, b) => a.at - b.at)
    .map(({ kind, at }) => {
      last = Math.max(last + 1, at);
      return { kind, at: last };
    });
}
