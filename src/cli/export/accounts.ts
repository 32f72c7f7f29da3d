import { describeAmbiguousHandle, describeHolders } from '#analysis/handle-holders.ts';
import { resolveAccounts, type TypedAccount } from '#analysis/resolve-accounts.ts';
import { TrawlError } from '#base/errors.ts';
import { openFileTargets } from '#cli/shared/file-targets.ts';
import { describeMemberChange } from '#cli/targets/panel-notes.ts';
import { formatCount, pluralize, printMessage } from '#cli/terminal/print.ts';
import { readPanelMembers } from '#store/panels/panels.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { SelectionOptions } from './selection-options.ts';

/** The accounts that options name. */
export interface NamedAccounts {
  /** Their ids, each once; undefined if no option names accounts. */
  readonly restIds: readonly string[] | undefined;
  /** Typed accounts that are not in the store. */
  readonly unknown: readonly string[];
}

/** The maximum number of accounts that notes name one by one. */
const MAX_NOTES = 20;

/**
 * Finds the accounts of --accounts, --from-file and --panel. Prints a note for each one that is unknown, or whose handle has
 * changed its owner, and for each renamed or unavailable member. @param command for messages. @throws UsageError for a text that is no account, TrawlError if none of them is in the store
 */
export async function findAccounts(
  db: Db,
  { accounts, fromFile, panel }: Pick<SelectionOptions, 'accounts' | 'fromFile' | 'panel'>,
  command = 'export',
): Promise<NamedAccounts> {
  if ((accounts ?? fromFile ?? panel) === undefined) return { restIds: undefined, unknown: [] };
  const file = (await openFileTargets(fromFile)) ?? [];
  const typed = resolveAccounts(db, [...(accounts ?? []), ...file], command);
  const members = panel === undefined ? [] : readPanelMembers(db, panel);
  const unseen = members.filter(({ state }) => state === 'unseen').length;
  const notes = [
    ...typed.flatMap(describeAccount),
    ...members.flatMap((member) => describeMemberChange(member) ?? []).map((change) => `panel ${panel}: ${change}`),
    ...(unseen === 0 ? [] : [`${pluralize(unseen, 'member')} of the panel ${panel} not in the database yet`]),
  ];
  for (const note of notes.slice(0, MAX_NOTES)) printMessage(note);
  if (notes.length > MAX_NOTES) printMessage(`… and ${formatCount(notes.length - MAX_NOTES)} more`);
  const restIds = new Set([...typed, ...members].flatMap(({ restId }) => restId ?? []));
  if (restIds.size === 0) throw new TrawlError('none of the accounts is in the database');
  return {
    restIds: [...restIds],
    unknown: typed.filter(({ restId }) => restId === undefined).map((account) => account.typed),
  };
}

/** A note if the account is unknown or was renamed, or if others had its handle. */
function describeAccount({ typed, restId, handle }: TypedAccount): string[] {
  if (restId === undefined) {
    const previous = handle?.holders.previous ?? [];
    if (previous.length === 0) return [`skipped: the database has no account ${typed}`];
    return [`skipped: ${describeAmbiguousHandle(typed, previous)}`];
  }
  const note = handle && describeHolders(handle.name, handle.holders);
  return note ? [note] : [];
}
