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

/** How long a page may be on its way to the store, in milliseconds. */
const LATE_MS = 5000;

/** A count that the owner of a list was said to have, and whether it was surely stored before the list's last page. */
interface Said {
  readonly count: number;
  readonly isBefore: boolean;
}

/** A process stores its answers in order; what another one stores may be late. */
const isSurelyBefore = ({ answeredAt = Infinity, sender }: Served, list: Served): boolean =>
  answeredAt + (sender.process === list.sender.process ? 0 : LATE_MS) <= list.at;

/** What was said of the owner's items until the last page of the list was stored, the latest last. */
const saidOf = ({ kept }: Evidence, kind: 'followers' | 'following', list: Served): Said[] =>
  kept
    .filter(({ n, at }) => n < list.n || at <= (list.answeredAt ?? list.at) + LATE_MS)
    .flatMap((page) => (page.heard?.users ?? []).map((user) => ({ ...user, isBefore: isSurelyBefore(page, list) })))
    .filter(({ id, as, values }) => id === list.heard!.owner && as !== 'reference' && `${kind}_count` in values)
    .map(({ values, isBefore }) => ({ count: values[`${kind}_count`] as number, isBefore }));

/** The numbers of items that the owner of a list was said to have until its last page was stored, the latest last. */
export const countsOf = (...list: Parameters<typeof saidOf>): number[] => saidOf(...list).map(({ count }) => count);

/** The counts of which the list's last page may have met each in the store: undefined where none was said before it. */
export function countsAtEnd(...list: Parameters<typeof saidOf>): (number | undefined)[] {
  const said = saidOf(...list);
  const late = said.filter(({ isBefore }) => !isBefore);
  return [said.filter(({ isBefore }) => isBefore).at(-1), ...late].map((one) => one?.count);
}
