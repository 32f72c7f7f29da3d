import { TrawlError } from '#base/errors.ts';
import { quoteShellWord } from '#base/text.ts';
import { parseAccount, parseTarget } from '#service/kinds/target.ts';
import { FORGOTTEN_HINT, prepareForgottenTargets } from '#store/erasure/incoming/forgotten-targets.ts';
import type { Db } from '#store/sqlite/database.ts';
import { describeHolders, type HandleHolders, prepareHolders, resolveHolder } from './handle-holders.ts';

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

/**
 * Finds the account that a person names, with a note if other accounts had its handle.
 * @param use what names it, for messages
 * @throws UsageError for a text that is no account; TrawlError if the store has none, or if none of several has the handle now
 */
export function resolveAccount(
  db: Db,
  typed: string,
  use: string,
): { readonly restId: string; readonly note?: string } {
  const [{ restId, handle }] = resolveAccounts(db, [typed], use) as [TypedAccount];
  const note = handle && describeHolders(handle.name, handle.holders);
  if (restId !== undefined) return { restId, ...(note !== undefined && { note }) };
  if (note !== undefined) throw new TrawlError(note, { hint: 'Name one of them by its id.' });
  throw createMissingAccountError(db, parseTarget(use, 'account', typed).target, typed);
}

/** The error for an account that the store does not have. @param target in its canonical form @param typed for messages */
export const createMissingAccountError = (db: Db, target: string, typed: string): TrawlError =>
  prepareForgottenTargets(db)({ kind: 'profile', target })
    ? new TrawlError(`the account ${typed} was erased, and is not collected again`, { hint: FORGOTTEN_HINT })
    : notCollectedError(`the account ${typed}`, `profile ${quoteShellWord(typed)}`);

/** The error for a target that the store does not have. @param args of the crawl that collects it */
export const notCollectedError = (what: string, args: string): TrawlError =>
  new TrawlError(`not collected: the database does not have ${what}`, {
    command: { name: 'crawl', args, result: 'collects it' },
  });
