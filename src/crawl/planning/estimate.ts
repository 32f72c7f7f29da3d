import type { Estimate } from '#service/kinds/crawl-spec.ts';

/** Arithmetic with estimates. */

export const createExactEstimate = (n: number): Estimate => ({ min: n, expected: n, max: n });
export const ONE = createExactEstimate(1);
const NONE = createExactEstimate(0);

/** A lower bound without an expected value or an upper bound. */
export const createOpenEstimate = (min: number): Estimate => ({ min, expected: null, max: null });

export const addEstimates = (a: Estimate, b: Estimate): Estimate => both(a, b, (x, y) => x + y);

export const multiplyEstimates = (a: Estimate, b: Estimate): Estimate => both(a, b, (x, y) => x * y);

export const sumEstimates = (all: readonly Estimate[]): Estimate => all.reduce(addEstimates, NONE);

/** The estimate with an upper limit. */
export function capEstimate(estimate: Estimate, limit: number | undefined): Estimate {
  if (limit === undefined) return estimate;
  const { expected } = estimate;
  const min = Math.min(estimate.min, limit);
  const max = Math.min(estimate.max ?? limit, limit);
  return { min, expected: min === max ? max : expected && Math.min(expected, limit), max };
}

/** Applies a monotonic function to each of the three numbers. */
export const mapEstimate = ({ min, expected, max }: Estimate, fn: (n: number) => number): Estimate => ({
  min: fn(min),
  expected: expected === null ? null : fn(expected),
  max: max === null ? null : fn(max),
});

export const roundEstimate = ({ min, expected, max }: Estimate): Estimate => ({
  min: Math.floor(min),
  expected: expected === null ? null : Math.round(expected),
  max: max === null ? null : Math.ceil(max),
});

export const computeMean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

const both = (a: Estimate, b: Estimate, fn: (x: number, y: number) => number): Estimate => ({
  min: fn(a.min, b.min),
  expected: a.expected === null || b.expected === null ? null : fn(a.expected, b.expected),
  max: a.max === null || b.max === null ? null : fn(a.max, b.max),
});
