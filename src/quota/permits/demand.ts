import { LIFE_AT_HAND, MOST_AT_HAND } from '../policy.ts';

/** How fast a class spends. */
export interface Pace {
  count(grants: number, now: number): void;
  /** How many will be wanted while they may be kept at hand. */
  expect(now: number): number;
}

/** Counts what is handed out, to expect the same of the time to come. */
export function createPace(): Pace {
  let [since, lately, before] = [0, 0, 0];
  function turn(now: number): void {
    const age = now - since;
    if (age >= 0 && age < LIFE_AT_HAND) return;
    before = age >= 0 && age < 2 * LIFE_AT_HAND ? lately : 0;
    [since, lately] = [now, 0];
  }
  return {
    count(grants, now) {
      turn(now);
      lately += grants;
    },
    expect(now) {
      turn(now);
      return Math.min(MOST_AT_HAND, Math.max(lately, before));
    },
  };
}
