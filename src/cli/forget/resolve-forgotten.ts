import { readHolders, resolveHolder } from '../../analysis/handle-holders.ts';
import { UsageError } from '../../base/errors.ts';
import { parseAccount, parseTarget } from '../../service/kinds/target.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** An account to erase. */
export interface ResolvedAccount {
  readonly typed: string;
  /** Null for a handle that no stored account has or had. */
  readonly restId: string | null;
  /** The present handle; null if it is unknown. */
  readonly handle: string | null;
  readonly isStored: boolean;
}

/**
 * Finds the accounts that handles and ids mean. @throws UsageError if there is none, or if a handle was that of several
 * accounts, and is that of none now
 */
export function resolveForgotten(db: Db, typed: Iterable<string>): ResolvedAccount[] {
  const accounts = Array.from(new Set(typed), (text) => resolveAccount(db, text));
  if (accounts.length === 0) throw new UsageError('no accounts', { hint: 'Give handles, ids or --from-file.' });
  return [...new Map(accounts.map((account) => [account.restId ?? account.handle, account])).values()];
}

function resolveAccount(db: Db, typed: string): ResolvedAccount {
  const account = parseAccount(parseTarget('forget', 'account', typed).target);
  if ('id' in account) {
    const handle = db.$client
      .prepare<[string], string | null>('select screen_name from users where rest_id = ?')
      .pluck()
      .get(account.id);
    return { typed, restId: account.id, handle: handle ?? null, isStored: handle !== undefined };
  }
  const holders = readHolders(db, account.handle);
  const holder = resolveHolder(holders);
  if (holder) return { typed, restId: holder.restId, handle: holder.screenName, isStored: true };
  if (holders.previous.length === 0) return { typed, restId: null, handle: account.handle, isStored: false };
  throw new UsageError(`${typed} was the handle of several accounts: nothing was erased`, {
    hint: `Give the id: ${holders.previous.map(({ restId }) => `id:${restId}`).join(', ')}.`,
  });
}
