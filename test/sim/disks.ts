import { MINUTE, SECOND } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import type { Act } from './plan.ts';

export interface DiskPlan {
  /** Start and duration in virtual milliseconds. */
  readonly at: number;
  readonly lasts: number;
  /**
   * `low`: little space is reported, and writes succeed. `full`: writes fail, too. `over quota`: writes fail, although
   * much space is reported.
   */
  readonly how: 'low' | 'full' | 'over quota';
}

/** Three of ten plans have low disk space for a time, mostly during an act. */
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

/** Returns the shortage at a time since the start. */
export const shortageAt = (disks: readonly DiskPlan[] | undefined, time: number): DiskPlan | undefined =>
  disks?.find(({ at, lasts }) => time >= at && time < at + lasts);
