import { address, changeAddress } from '../../../app/router.ts';

/** The address of the list: its filter, order and place. A shared link shows the same list. */

/** The parameters of an address that the server reads. */
const PARAMETERS = ['q', 'show', 'kind', 'sort', 'reverse', 'after'];

/** What accounts can be sorted by, in words. */
export const ACCOUNT_ORDERS: Readonly<Record<string, string>> = {
  stored: 'Stored last',
  handle: 'Handle',
  followers: 'Most followers',
  seen: 'Last seen',
};

/** The query of the present address, in one form. */
export function readAccountQuery(): string {
  const { searchParams } = address.value;
  const given = PARAMETERS.flatMap((name) => {
    const value = searchParams.get(name) ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return new URLSearchParams(given).toString();
}

/** Changes the filter or the order. The list begins with its first accounts. */
export const changeList = (
  changes: Readonly<Record<string, string>>,
  options?: { readonly isReplaced: boolean },
): void => changeAddress({ ...changes, after: '' }, options);

/** Shows the collected accounts, or all. */
export const showAll = (isAll: boolean): void => changeList({ show: isAll ? 'all' : '', kind: '' });

/** Selects a kind of crawls, or no longer. */
export function toggleKind(kind: string): void {
  const kinds = (address.value.searchParams.get('kind') ?? '').split(',').filter((one) => one !== '');
  changeList({ kind: (kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind]).join() });
}

/** Sorts by a value, or in the opposite direction if the list does so already. */
export function sortAccounts(sort: string): void {
  const order = readAccountOrder();
  const isOpposite = order.sort === sort && !order.isReversed;
  changeList({ sort: sort === 'stored' ? '' : sort, reverse: isOpposite ? '1' : '' });
}

export function readAccountOrder(): { readonly sort: string; readonly isReversed: boolean } {
  const { searchParams } = address.value;
  return { sort: searchParams.get('sort') ?? 'stored', isReversed: searchParams.get('reverse') === '1' };
}
