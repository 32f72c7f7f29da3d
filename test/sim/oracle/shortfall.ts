import type { Served } from '../service.ts';
import type { Evidence } from './evidence.ts';

/**
 * Whether a list shows fewer than it should (spec, Endpoint rules 6): nobody though the count is not 0, or less than three
 * quarters of the count and at least 20 fewer.
 */
export function fallsShort(shown: number, counted: number | undefined): boolean {
  if (shown === 0) return counted !== 0;
  return counted !== undefined && counted - shown >= 20 && shown < 0.75 * counted;
}

/** The numbers of items that the owner of a list was said to have before the list came to its end, the latest last. */
export const countsOf = ({ kept }: Evidence, kind: 'followers' | 'following', list: Served): number[] =>
  kept
    .filter(({ n }) => n < list.n)
    .flatMap(({ heard }) => heard?.users ?? [])
    .filter(({ id, as, values }) => id === list.heard!.owner && as !== 'reference' && `${kind}_count` in values)
    .map(({ values }) => values[`${kind}_count`] as number);
