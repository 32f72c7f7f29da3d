import { address, navigate } from '../../app/router.ts';

/** What an address of the page says. */
export interface FindAddress {
  readonly search: string;
  readonly isForAccounts: boolean;
  readonly sort: string;
  readonly limit: number;
  readonly includeDeleted: boolean;
}

export const DEFAULT_LIMIT = 50;
/** The server returns no more. */
export const MAX_LIMIT = 500;

/** The orders of results. */
export const SORTS = {
  tweets: { relevance: 'Relevance', newest: 'Newest', oldest: 'Oldest', likes: 'Likes' },
  accounts: { relevance: 'Relevance', followers: 'Followers', newest: 'Newest', oldest: 'Oldest' },
} as const;

export function readFindAddress(): FindAddress {
  const { searchParams } = address.value;
  return {
    search: searchParams.get('q')?.trim() ?? '',
    isForAccounts: searchParams.get('in') === 'accounts',
    sort: searchParams.get('sort') ?? 'relevance',
    limit: Number(searchParams.get('limit') ?? DEFAULT_LIMIT),
    includeDeleted: searchParams.get('deleted') === '1',
  };
}

/** Returns the query of an address, without what is the default. */
export function formatAddress({ search, isForAccounts, sort, limit, includeDeleted }: FindAddress): string {
  const query = new URLSearchParams({
    ...(search !== '' && { q: search }),
    ...(isForAccounts && { in: 'accounts' }),
    ...(Object.hasOwn(SORTS[isForAccounts ? 'accounts' : 'tweets'], sort) && sort !== 'relevance' && { sort }),
    ...(limit !== DEFAULT_LIMIT && { limit: String(limit) }),
    ...(includeDeleted && { deleted: '1' }),
  });
  return query.size === 0 ? '' : `?${query.toString()}`;
}

export const hrefOf = (changed: Partial<FindAddress>): string =>
  `/find${formatAddress({ ...readFindAddress(), ...changed })}`;

/** Shows another search. */
export const showSearch = (changed: Partial<FindAddress>): void => navigate(hrefOf(changed));
