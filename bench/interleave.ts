/** Runs variants in turn, round by round, so that changes of the machine affect all of them. */

export type Variants<R> = Readonly<Record<string, () => Promise<R>>>;
/** Results by variant, one per round. */
export type Rounds<R> = Readonly<Record<string, readonly R[]>>;

export async function interleave<R>(
  variants: Variants<R>,
  rounds: number,
  onResult: (variant: string, round: number, result: R) => void,
): Promise<Rounds<R>> {
  const names = Object.keys(variants);
  const results: Record<string, R[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    // Every other round is reversed, so that the order favours no variant.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await variants[name]!();
      results[name]!.push(result);
      onResult(name, round, result);
    }
  }
  return results;
}

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

/** Returns the spread of a figure that is computed from the results of each round. */
export function perRound<R>(rounds: Rounds<R>, figure: (round: Readonly<Record<string, R>>) => number): Spread {
  const count = Math.min(...Object.values(rounds).map(({ length }) => length));
  const values = Array.from({ length: count }, (_, i) =>
    figure(Object.fromEntries(Object.entries(rounds).map(([name, results]) => [name, results[i]!]))),
  );
  return spread(values);
}
