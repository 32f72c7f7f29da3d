import type { CrawlFacetName } from '../../../../dashboard/api/crawls.ts';
import { address, changeAddress } from '../../../app/router.ts';

/** The address of the list: all conditions and the order. A shared link shows the same list. */

/** The parameters of an address that the server reads. */
const PARAMETERS = ['q', 'state', 'kind', 'reason', 'priority', 'job', 'run', 'sort', 'reverse'];

/** The query of the present address, in one form. */
export function readListQuery(): string {
  const { searchParams } = address.value;
  const given = PARAMETERS.flatMap((name) => {
    const value = searchParams.get(name) ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given).toString();
}

/** Selects a value of a facet, or no longer. */
export function toggleFacet(name: CrawlFacetName, value: string): void {
  const values = (address.value.searchParams.get(name) ?? '').split(',').filter((one) => one !== '');
  const changed = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  changeAddress({ [name]: changed.join() });
}

/** Removes all conditions, and keeps the order. */
export const clearConditions = (): void =>
  changeAddress({ q: '', state: '', kind: '', reason: '', priority: '', job: '', run: '' });

/** Sorts by a column, or in the opposite direction if it does so already. */
export function sortBy(column: string): void {
  const { sort, isReversed } = readOrder();
  const isOpposite = sort === column && !isReversed;
  changeAddress({ sort: column === 'id' ? '' : column, reverse: isOpposite ? '1' : '' });
}

export function readOrder(): { readonly sort: string; readonly isReversed: boolean } {
  const { searchParams } = address.value;
  return { sort: searchParams.get('sort') ?? 'id', isReversed: searchParams.get('reverse') === '1' };
}
