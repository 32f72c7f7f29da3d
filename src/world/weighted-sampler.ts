import type { SeededRandom } from '../seeded-random.ts';

/** Draws indices in proportion to weights that can be decremented; both in logarithmic time. */
export interface WeightedSampler {
  readonly totalWeight: number;
  weightAt(index: number): number;
  /** Draws an index; the total weight must be positive. */
  draw(random: SeededRandom): number;
  /** Decrements the weight at an index by one. */
  decrement(index: number): void;
}

/** A Fenwick tree over the weights. */
export function createWeightedSampler(initial: Uint32Array): WeightedSampler {
  const weights = Uint32Array.from(initial);
  const size = weights.length;
  const tree = new Float64Array(size + 1);
  let remainingWeight = 0;
  for (let i = 1; i <= size; i += 1) {
    remainingWeight += weights[i - 1]!;
    tree[i]! += weights[i - 1]!;
    const parent = i + (i & -i);
    if (parent <= size) tree[parent]! += tree[i]!;
  }
  let highestPower = 1;
  while (highestPower * 2 <= size) highestPower *= 2;
  return {
    get totalWeight() {
      return remainingWeight;
    },
    weightAt: (index) => weights[index]!,
    draw(random) {
      let target = random.integerBelow(remainingWeight);
      let at = 0;
      for (let step = highestPower; step > 0; step >>>= 1) {
        const next = at + step;
        if (next <= size && tree[next]! <= target) {
          target -= tree[next]!;
          at = next;
        }
      }
      return at;
    },
    decrement(index) {
      weights[index]! -= 1;
      remainingWeight -= 1;
      for (let i = index + 1; i <= size; i += i & -i) tree[i]! -= 1;
    },
  };
}
