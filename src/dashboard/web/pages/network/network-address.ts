import { address, navigate } from '../../app/router.ts';

/** The address of the page: all that a shared link needs for the same picture. */
export interface NetworkAddress {
  /** As typed, or `id:…`. */
  readonly accounts: readonly string[];
  readonly panel: string | null;
  readonly hasNeighbours: boolean;
}

export function readNetworkAddress(): NetworkAddress {
  const { searchParams } = address.value;
  return {
    accounts: (searchParams.get('accounts') ?? '').split(',').filter((part) => part !== ''),
    panel: searchParams.get('panel') || null,
    hasNeighbours: searchParams.get('depth') !== '0',
  };
}

/** The query of an address; empty if nothing is given. */
export function formatNetworkQuery({ accounts, panel, hasNeighbours }: NetworkAddress): string {
  if (accounts.length === 0 && panel === null) return '';
  return new URLSearchParams({
    ...(accounts.length > 0 && { accounts: accounts.join() }),
    ...(panel !== null && { panel }),
    ...(!hasNeighbours && { depth: '0' }),
  }).toString();
}

/** Shows another network. */
export const showNetwork = (network: NetworkAddress): void => navigate(`/network?${formatNetworkQuery(network)}`);
