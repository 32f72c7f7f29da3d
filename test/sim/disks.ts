import { MINUTE, SECOND } from '../../src/clock.ts';
import type { SeededRandom } from '../../src/seeded-random.ts';
import type { Act } from './plan.ts';

/** A time in which the store's disk has no room. */
export interface DiskPlan {
  /** From when on, and for how long, in ms of the simulation. */
  readonly at: number;
  readonly lasts: number;
  /**
   * `low`: the system says that little is free, and writes succeed. `full`: they fail, too. `over quota`: they fail, and
   * the system says that much is free.
   */
  readonly how: 'low' | 'full' | 'over quota';
}

/** In three worlds of ten the disk has no room for a while, mostly while something is asked for. */
export function disksOf(random: SeededRandom, acts: readonly Act[]): DiskPlan[] {
  if (!random.chance(0.3) || acts.length === 0) return [];
  return [
    {
      at: Math.max(0, random.pick(acts).at + random.integerBetween(-200, 1000)),
      lasts: random.pick([20 * SECOND, 2 * MINUTE, 10 * MINUTE, 60 * MINUTE]),
      how: random.pick(['low', 'full', 'over quota'] as const),
    },
  ];
}

/** The shortage at a time since the simulation began. */
export const shortageAt = (disks: readonly DiskPlan[] | undefined, time: number): DiskPlan | undefined =>
  disks?.find(({ at, lasts }) => time >= at && time < at + lasts);
