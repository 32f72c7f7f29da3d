import { createHash } from 'node:crypto';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

export type SeededRandom = ReturnType<typeof createSeededRandom>;

/**
 * Seeded random numbers: the same seed and purpose always give the same sequence. Each purpose has its own, so that a
 * change in one part of a world leaves the other parts unchanged.
 */
export function createSeededRandom(seed: number, purpose: string) {
  const hash = createHash('sha256').update(`trawl world ${seed} ${purpose}`).digest();
  const generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => hash.readInt32LE(at)));
  /** A whole number from 0 to `below` - 1. */
  const integerBelow = (below: number): number => uniformInt(generator, 0, below - 1);
  return {
    integerBelow,
    /** A whole number from `minimum` to `maximum`, both included. */
    integerBetween: (minimum: number, maximum: number): number => uniformInt(generator, minimum, maximum),
    /** A number in [0, 1). */
    float: (): number => uniformFloat64(generator),
    chance: (probability: number): boolean => uniformFloat64(generator) < probability,
    pick: <T>(list: readonly T[]): T => list[integerBelow(list.length)]!,
  };
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
