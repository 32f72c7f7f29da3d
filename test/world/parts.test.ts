import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createShuffledCycle, createSeededRandom } from '#base/seeded-random.ts';
import { shareByRank, randomRank } from '#twin/world/power-law.ts';
import { createTimeHeap } from '#twin/world/time-heap.ts';
import { TWEETS_BEGIN, tweetTimeAt, WORLD_END } from '#twin/world/times-and-ids.ts';
import { createWeightedSampler } from '#twin/world/weighted-sampler.ts';

const weights = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 40 });

describe('the parts of world generation', () => {
  it('a sampler draws exactly its weights', () => {
    fc.assert(
      fc.property(weights, fc.nat(), (initial, seed) => {
        const random = createSeededRandom(seed, 'test');
        const urn = createWeightedSampler(Uint32Array.from(initial));
        const drawn = initial.map(() => 0);
        while (urn.totalWeight > 0) {
          const index = urn.draw(random);
          expect(urn.weightAt(index)).toBeGreaterThan(0);
          urn.decrement(index);
          drawn[index]! += 1;
        }
        expect(drawn).toEqual(initial);
      }),
    );
  });

  it('a time heap returns items by time, and by insertion for equal times', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 })), (times) => {
        const heap = createTimeHeap<[number, number]>();
        for (const [turn, at] of times.entries()) heap.push(at, [at, turn]);
        const given = times.map(() => heap.pop());
        const expected = times
          .map((at, turn): [number, number] => [at, turn])
          .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
        expect(given).toEqual(expected);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });

  it('a shuffled cycle returns every item before it repeats one', () => {
    const deal = createShuffledCycle(createSeededRandom(1, 'test'), [1, 2, 2, 3]);
    for (let round = 0; round < 5; round += 1) {
      expect(Array.from({ length: 4 }, deal).toSorted((a, b) => a - b)).toEqual([1, 2, 2, 3]);
    }
  });

  it('ranks are in range, and the first is the most likely', () => {
    const random = createSeededRandom(1, 'test');
    expect(randomRank(random, 1)).toBe(0);
    const seen = new Uint32Array(100);
    for (let i = 0; i < 20_000; i += 1) seen[randomRank(random, 100)]! += 1;
    expect(seen.reduce((sum, n) => sum + n, 0)).toBe(20_000);
    expect(seen[0]).toBe(Math.max(...seen));
    expect(seen[0]! / seen[49]!).toBeGreaterThan(10);
  });

  it('shares decrease with the rank and sum to about the total', () => {
    const shares = [...shareByRank(1000, 14_000, 3200)];
    expect(shares).toEqual([...shares].sort((a, b) => b - a));
    expect(shares.reduce((sum, share) => sum + share, 0)).toSatisfy((sum: number) => Math.abs(sum - 14_000) < 500);
  });

  it('times increase and stay within the world', () => {
    let last = TWEETS_BEGIN - 1;
    for (let i = 0; i < 10_000; i += 1) {
      const at = tweetTimeAt(i / 10_000);
      expect(at).toBeGreaterThanOrEqual(last);
      last = at;
    }
    expect(last).toBeLessThan(WORLD_END);
  });

  it('random numbers of different purposes differ', () => {
    const throws = (purpose: string) =>
      Array.from({ length: 8 }, () => createSeededRandom(1, purpose).integerBelow(1000));
    expect(throws('a')).toEqual(throws('a'));
    expect(throws('a')).not.toEqual(throws('b'));
  });
});
