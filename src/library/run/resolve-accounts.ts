import { type HandleHolders, prepareHolders, resolveHolder } from '../../analysis/handle-holders.ts';
import { parseAccount, parseTarget } from '../../service/kinds/target.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** An account as it was typed, and as the store knows it. */
export interface TypedAccount {
  readonly typed: string;
  /** Undefined if the store has no such account, or several that had the handle. */
  readonly restId: string | undefined;
  /** The handle and its holders, for an account that was not typed by id. */
  readonly handle: { readonly name: string; readonly holders: HandleHolders } | undefined;
}

/**
 * Finds the accounts that people name by handle, id or address.
 * @param use what names them, for messages
 * @throws UsageError for a text that is no account
 */
export function resolveAccounts(db: Db, typed: Iterable<string>, use: string): TypedAccount[] {
  const isStored = db.$client.prepare<[string]>('select 1 from users where rest_id = ?');
  const readHolders = prepareHolders(db);
  return Array.from(typed, (text): TypedAccount => {
    const account = parseAccount(parseTarget(use, 'account', text).target);
    if ('id' in account) {
      const restId = isStored.get(account.id) === undefined ? undefined : account.id;
      return { typed: text.trim(), restId, handle: undefined };
    }
    const holders = readHolders(account.handle);
    return { typed: text.trim(), restId: resolveHolder(holders)?.restId, handle: { name: account.handle, holders } };
  });
}
