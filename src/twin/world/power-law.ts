import type { SeededRandom } from '#base/seeded-random.ts';

/**
 * Power laws computed with square roots only: IEEE 754 defines them exactly, unlike pow and log, so a seed gives the
 * same world on every machine.
 */

const eighthRoot = (x: number): number => Math.sqrt(Math.sqrt(Math.sqrt(x)));

function eighthPower(x: number): number {
  const square = x * x;
  const fourth = square * square;
  return fourth * fourth;
}

/** Returns a rank from 0 to n - 1, with a probability proportional to rank^(-7/8). */
export function randomRank(random: SeededRandom, n: number): number {
  const x = 1 + random.float() * (eighthRoot(n + 1) - 1);
  return Math.min(n - 1, Math.floor(eighthPower(x)) - 1);
}

/** Returns a number of at least `minimum`, with the tail P(X > x) ~ x^-2. Its mean is twice the minimum. */
export const randomPareto = (random: SeededRandom, minimum: number): number => minimum / Math.sqrt(1 - random.float());

/** Like `randomPareto`, with the heavier tail x^(-4/3): its mean is four times the minimum. */
export function randomHeavyTail(random: SeededRandom, minimum: number): number {
  const root = Math.sqrt(1 - random.float());
  return minimum / (root * Math.sqrt(root));
}

/** Distributes `total` among n ranks, proportional to rank^(-3/4), from 1 to `maximum` each. */
export function shareByRank(n: number, total: number, maximum: number): Uint32Array {
  const weight = (rank: number): number => 1 / (Math.sqrt(rank) * Math.sqrt(Math.sqrt(rank)));
  let sum = 0;
  for (let rank = 1; rank <= n; rank += 1) sum += weight(rank);
  return Uint32Array.from({ length: n }, (_, i) =>
    Math.max(1, Math.min(maximum, Math.round((total * weight(i + 1)) / sum))),
  );
}
