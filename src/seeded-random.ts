import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** Seeded random numbers: the same seed and purpose always give the same sequence. */
export interface SeededRandom {
  /** A whole number from 0 to `below` - 1. */
  integerBelow(below: number): number;
  /** A whole number from `minimum` to `maximum`, both included. */
  integerBetween(minimum: number, maximum: number): number;
  /** A number in [0, 1). */
  float(): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/**
 * Each purpose has its own sequence, so that a change in one part of a world leaves the other parts unchanged.
 */
export function createSeededRandom(seed: number, purpose: string): SeededRandom {
  const hash = createHash('sha256').update(`trawl world ${seed} ${purpose}`).digest();
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => hash.readInt32LE(at)));
  const random: SeededRandom = {
    integerBelow: (below) => uniformInt(generator, 0, below - 1),
    integerBetween: (minimum, maximum) => uniformInt(generator, minimum, maximum),
    float: () => uniformFloat64(generator),
    chance: (probability) => uniformFloat64(generator) < probability,
    pick: (list) => list[random.integerBelow(list.length)]!,
  };
  return random;
}

/** Returns the numbers in random order, in an endless cycle: each occurs exactly once per cycle. */
export function createShuffledCycle(random: SeededRandom, items: readonly number[]): () => number {
  const pile = [...items];
  let remaining = 0;
  return () => {
    if (remaining === 0) remaining = pile.length;
    const last = random.integerBelow(remaining);
    remaining -= 1;
    const item = pile[last]!;
    pile[last] = pile[remaining]!;
    pile[remaining] = item;
    return item;
  };
}
