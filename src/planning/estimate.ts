import type { Guess } from '../store/schema/messages.ts';

/** Reckoning with numbers that are known in part. */

export const exactly = (n: number): Guess => ({ least: n, likely: n, most: n });
export const ONE = exactly(1);
const NONE = exactly(0);

/** At least so much, and nothing says how much. */
export const atLeast = (least: number): Guess => ({ least, likely: null, most: null });

export const plus = (a: Guess, b: Guess): Guess => both(a, b, (x, y) => x + y);

export const times = (a: Guess, b: Guess): Guess => both(a, b, (x, y) => x * y);

export const sumOf = (guesses: readonly Guess[]): Guess => guesses.reduce(plus, NONE);

/** No more than a limit that somebody set. */
export function upTo(guess: Guess, limit: number | undefined): Guess {
  if (limit === undefined) return guess;
  const least = Math.min(guess.least, limit);
  const most = Math.min(guess.most ?? limit, limit);
  return { least, likely: least === most ? most : guess.likely && Math.min(guess.likely, limit), most };
}

/** The same of each of its three numbers, which keeps their order. */
export const each = ({ least, likely, most }: Guess, fn: (n: number) => number): Guess => ({
  least: fn(least),
  likely: likely === null ? null : fn(likely),
  most: most === null ? null : fn(most),
});

export const rounded = ({ least, likely, most }: Guess): Guess => ({
  least: Math.floor(least),
  likely: likely === null ? null : Math.round(likely),
  most: most === null ? null : Math.ceil(most),
});

const both = (a: Guess, b: Guess, fn: (x: number, y: number) => number): Guess => ({
  least: fn(a.least, b.least),
  likely: a.likely === null || b.likely === null ? null : fn(a.likely, b.likely),
  most: a.most === null || b.most === null ? null : fn(a.most, b.most),
});
