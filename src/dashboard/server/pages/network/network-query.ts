import { UsageError } from '../../../../base/errors.ts';
import { readPanelMembers } from '../../../../store/panels/panels.ts';
import type { Db } from '../../../../store/sqlite/database.ts';
import type { ReadRequest } from '../../reader/read.ts';
import { findRestId } from '../accounts/account-lines.ts';

/** What a network is asked for: its address. */
export interface NetworkQuery {
  /** As typed: `nasa`, `@nasa` or `id:11348282`. */
  readonly accounts: readonly string[];
  readonly panel: string | null;
  /** Whether the accounts that follow given ones, or are followed by them, belong to it. */
  readonly hasNeighbours: boolean;
}

/** More accounts than an address should have. */
const MAX_ACCOUNTS = 100;

/** Reads `accounts` (separated by commas), `panel` and `depth` (0: among the given accounts). @throws UsageError if nothing is given */
export function parseNetworkQuery({ query }: Pick<ReadRequest, 'query'>): NetworkQuery {
  const accounts = (query['accounts'] ?? '').split(',').flatMap((text) => text.trim() || []);
  const panel = query['panel']?.trim() || null;
  if (accounts.length === 0 && panel === null) throw new UsageError('a network needs accounts or a panel');
  if (accounts.length > MAX_ACCOUNTS)
    throw new UsageError(`more than ${MAX_ACCOUNTS} accounts`, { hint: 'Create a panel of them with `trawl panel`.' });
  return { accounts, panel, hasNeighbours: query['depth'] !== '0' };
}

/** Returns the store's numbers of the given accounts, each once, and the others as typed. @throws UsageError if there is no such panel */
export function findGivenAccounts(db: Db, { accounts, panel }: NetworkQuery) {
  const find = db.$client.prepare<[string], number>('select id from users where rest_id = ?').pluck();
  const members = panel === null ? [] : readPanelMembers(db, panel);
  const named = [
    ...accounts.map((label) => ({ label, restId: findRestId(db, label) })),
    ...members.map(({ restId, handle }) => ({ label: handle === null ? `id:${restId}` : `@${handle}`, restId })),
  ];
  const found = named.map(({ label, restId }) => ({ label, id: restId === undefined ? undefined : find.get(restId) }));
  return {
    ids: [...new Set(found.flatMap(({ id }) => id ?? []))],
    unknown: found.flatMap(({ label, id }) => (id === undefined ? [label] : [])),
  };
}
