import { changeAddress, readParameter, selectParameters } from '../app/router.ts';
import type { TableOrder } from './data-table.tsx';

/** A list whose address has its search, its filter, its order and its place. A shared link shows the same list. */
export interface ListAddress {
  readonly path: string;
  /** The parameters of the address that narrow the list. */
  readonly filters: readonly string[];
  /** The titles of the orders; the first one is the normal one. */
  readonly sorts: Readonly<Record<string, string>>;
  /** What begins with A; everything else begins with the largest value. */
  readonly textSort: string;
}

/** The query of a list at the present address. */
export const readListQuery = ({ filters }: ListAddress): string =>
  selectParameters([...filters, 'sort', 'reverse', 'after']);

/** Changes the filter or the order. The list begins with its first rows. */
export const changeList = (
  changes: Readonly<Record<string, string>>,
  options?: { readonly isReplaced: boolean },
): void => changeAddress({ ...changes, after: '' }, options);

/** Selects a value of a parameter, or no longer. */
export function toggleValue(name: string, value: string): void {
  const values = readParameter(name)
    .split(',')
    .filter((one) => one !== '');
  changeList({ [name]: (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join() });
}

/** The order of the present address. */
export function readOrder({ sorts, textSort }: ListAddress): TableOrder {
  const normalSort = Object.keys(sorts)[0]!;
  const by = readParameter('sort') || normalSort;
  const isReversed = readParameter('reverse') === '1';
  return {
    by,
    direction: (by === textSort) === isReversed ? 'descending' : 'ascending',
    sort: (key) => changeList({ sort: key === normalSort ? '' : key, reverse: key === by && !isReversed ? '1' : '' }),
  };
}
