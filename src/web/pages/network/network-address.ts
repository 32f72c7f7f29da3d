import { address, navigate } from '../../app/router.ts';

/** The address of the page: all that a shared link needs for the same picture. */
export interface NetworkAddress {
  /** As typed, or `id:…`. */
  readonly accounts: readonly string[];
  readonly panel: string | null;
  readonly hasNeighbours: boolean;
  /** Whether the given accounts are shown. */
  readonly hasGiven: boolean;
  /** The keys of the communities that are not shown. */
  readonly hidden: readonly string[];
}

export function readNetworkAddress(): NetworkAddress {
  const { searchParams } = address.value;
  const list = (name: string): string[] => (searchParams.get(name) ?? '').split(',').filter((part) => part !== '');
  return {
    accounts: list('accounts'),
    panel: searchParams.get('panel') || null,
    hasNeighbours: searchParams.get('depth') !== '0',
    hasGiven: searchParams.get('ego') !== 'off',
    hidden: list('hide'),
  };
}

/** The part of the address that decides what the server reads, in one form; empty if nothing is given. */
export function formatNetworkQuery({ accounts, panel, hasNeighbours, hasGiven }: NetworkAddress): string {
  if (accounts.length === 0 && panel === null) return '';
  const given = [
    ...(accounts.length === 0 ? [] : [['accounts', accounts.join(',')]]),
    ...(panel === null ? [] : [['panel', panel]]),
    ...(hasNeighbours ? [] : [['depth', '0']]),
    ...(hasGiven ? [] : [['ego', 'off']]),
  ];
  return new URLSearchParams(given).toString();
}

/** Returns the address of a page with other values. */
export function formatNetworkAddress(changes: Partial<NetworkAddress>): string {
  const changed = { ...readNetworkAddress(), ...changes };
  const query = formatNetworkQuery(changed);
  const hidden = changed.hidden.length === 0 ? '' : `&hide=${changed.hidden.join()}`;
  return query === '' ? '/network' : `/network?${query}${hidden}`;
}

/** Shows another network, or another part of it. */
export const changeNetworkAddress = (changes: Partial<NetworkAddress>, { isReplaced = false } = {}): void =>
  navigate(formatNetworkAddress(changes), { isReplaced });
