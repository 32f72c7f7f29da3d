import { address, navigate } from '../../app/router.ts';

/** The address of the page: all that a shared link needs for the same picture. */
export interface NetworkAddress {
  /** As typed, or `id:…`. */
  readonly accounts: readonly string[];
  readonly panel: string | null;
  readonly hasNeighbours: boolean;
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
    hidden: list('hide'),
  };
}

/** The part of the address that decides what the server reads; empty if nothing is given. */
export function formatNetworkQuery({ accounts, panel, hasNeighbours }: Omit<NetworkAddress, 'hidden'>): string {
  if (accounts.length === 0 && panel === null) return '';
  const query = new URLSearchParams();
  if (accounts.length > 0) query.set('accounts', accounts.join(','));
  if (panel !== null) query.set('panel', panel);
  if (!hasNeighbours) query.set('depth', '0');
  return query.toString();
}

/** Shows another network, or hides another part of it. */
export function changeNetworkAddress(changes: Partial<NetworkAddress>): void {
  const changed = { ...readNetworkAddress(), hidden: [], ...changes };
  const hidden = changed.hidden.length === 0 ? '' : `&hide=${changed.hidden.join()}`;
  navigate(`/network?${formatNetworkQuery(changed)}${hidden}`, { isReplaced: changes.hidden !== undefined });
}
