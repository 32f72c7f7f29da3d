import type { SeededRandom } from '#base/seeded-random.ts';

export type WeightedSampler = ReturnType<typeof createWeightedSampler>;

/** Draws indices in proportion to weights that can be decremented. A Fenwick tree makes both logarithmic. */
export function createWeightedSampler(initial: Uint32Array) {
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
    get totalWeight(): number {
      return remainingWeight;
    },
    weightAt: (index: number): number => weights[index]!,
    /** Draws an index; the total weight must be positive. */
    draw(random: SeededRandom): number {
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
    /** Decrements the weight at an index by one. */
    decrement(index: number): void {
      weights[index]! -= 1;
      remainingWeight -= 1;
      for (let i = index + 1; i <= size; i += i & -i) tree[i]! -= 1;
    },
  };
}
