import type { SeededRandom } from '../seeded-random.ts';

/**
 * Power laws by square roots only: IEEE 754 defines those to the last bit (unlike pow and log), so a seed gives the same
 * world on every machine.
 */

const eighthRoot = (x: number): number => Math.sqrt(Math.sqrt(Math.sqrt(x)));

function eighthPower(x: number): number {
  const square = x * x;
  const fourth = square * square;
  return fourth * fourth;
}

/** A rank from 0 to n - 1 with a probability falling as rank^(-7/8): few are known to all, most to few. */
export function randomRank(random: SeededRandom, n: number): number {
  const x = 1 + random.float() * (eighthRoot(n + 1) - 1);
  return Math.min(n - 1, Math.floor(eighthPower(x)) - 1);
}

/** At least `least`, above that with a tail P(X > x) falling as x^-2. Its mean is twice the least. */
export const randomPareto = (random: SeededRandom, minimum: number): number => minimum / Math.sqrt(1 - random.float());

/** As `pareto2`, with the heavier tail x^(-4/3): its mean is four times the least. */
export function randomHeavyTail(random: SeededRandom, minimum: number): number {
  const root = Math.sqrt(1 - random.float());
  return minimum / (root * Math.sqrt(root));
}

/** `total` shared among n ranks, the share falling as rank^(-3/4); nobody gets less than one nor more than `most`. */
export function shareByRank(n: number, total: number, maximum: number): Uint32Array {
  const weight = (rank: number): number => 1 / (Math.sqrt(rank) * Math.sqrt(Math.sqrt(rank)));
  let sum = 0;
  for (let rank = 1; rank <= n; rank += 1) sum += weight(rank);
  return Uint32Array.from({ length: n }, (_, i) =>
    Math.max(1, Math.min(maximum, Math.round((total * weight(i + 1)) / sum))),
  );
}
