import type { Served } from '../service.ts';
import type { Evidence } from './evidence.ts';

/**
 * Returns whether a list is too short (spec, Endpoint rules 6): empty although the count is not 0, or less than three
 * quarters of the count and at least 20 fewer.
 */
export function isTruncated(shown: number, counted: number | undefined): boolean {
  if (shown === 0) return counted !== 0;
  return counted !== undefined && counted - shown >= 20 && shown < 0.75 * counted;
}

/** Maximum time until a page is stored, in milliseconds. */
const LATE_MS = 5000;

/** A count of the owner's items, and whether it was certainly stored before the last page. */
interface ShownCount {
  readonly count: number;
  readonly isBefore: boolean;
}

/** A process stores its responses in order; those of others may be late. */
const isSurelyBefore = ({ answeredAt = Infinity, sender }: Served, list: Served): boolean =>
  answeredAt + (sender.process === list.sender.process ? 0 : LATE_MS) <= list.at;

/** Returns the counts until the last page was stored, latest last. */
const findCounts = ({ stored }: Evidence, kind: 'followers' | 'following', list: Served): ShownCount[] =>
  stored
    .filter(({ n, at }) => n < list.n || at <= (list.answeredAt ?? list.at) + LATE_MS)
    .flatMap((page) => (page.parsed?.users ?? []).map((user) => ({ ...user, isBefore: isSurelyBefore(page, list) })))
    .filter(({ id, as, values }) => id === list.parsed!.owner && as !== 'reference' && `${kind}_count` in values)
    .map(({ values, isBefore }) => ({ count: values[`${kind}_count`] as number, isBefore }));

/** Returns the counts of the owner until its last page was stored, latest last. */
export const countsOf = (...list: Parameters<typeof findCounts>): number[] =>
  findCounts(...list).map(({ count }) => count);

/** Returns the counts that the last page may have met in the store; undefined if there is none. */
export function countsAtEnd(...list: Parameters<typeof findCounts>): (number | undefined)[] {
  const shownCounts = findCounts(...list);
  const late = shownCounts.filter(({ isBefore }) => !isBefore);
  return [shownCounts.filter(({ isBefore }) => isBefore).at(-1), ...late].map((one) => one?.count);
}
