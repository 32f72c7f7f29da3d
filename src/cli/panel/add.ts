import { readTargetsFromSql } from '#analysis/crawl-targets.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { openExistingDatabase } from '#cli/shared/existing-store.ts';
import { openFileTargets } from '#cli/shared/file-targets.ts';
import { formatCount, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { parseTarget } from '#service/kinds/target.ts';
import { type AddedMembers, addMembers } from '#store/panels/edit-panels.ts';
import { requirePanel } from '#store/panels/panels.ts';
import { bindAccounts, type LookupOptions } from './bind-accounts.ts';

interface AddOptions extends LookupOptions {
  readonly fromFile?: string;
  readonly fromSql?: string;
  readonly note?: string;
}

/** Adds accounts to a panel, all or none, and prints them with their ids. */
export async function addAccounts(panel: string, typed: readonly string[], options: AddOptions): Promise<void> {
  const { db: path, fromFile, fromSql, note, json } = options;
  using db = await openExistingDatabase(path);
  // Before any request: the name may be mistyped.
  requirePanel(db, panel);
  const targets = [
    ...typed,
    ...((await openFileTargets(fromFile)) ?? []),
    ...(fromSql === undefined ? [] : readTargetsFromSql(path, fromSql)),
  ].map((target) => parseTarget('panel', 'account', target));
  if (targets.length === 0) throw new UsageError('no accounts', { hint: 'Give accounts, --from-file or --from-sql.' });
  const found = await bindAccounts(targets, options);
  const accounts = [...new Map(found.map((account) => [account.restId, account])).values()];
  const members = accounts.map(({ restId, handle }) => ({ restId, handle, note: note || null }));
  const changes = addMembers(db, panel, members, systemClock.now());
  if (json) return printJson({ panel, ...changes });
  const added = new Set(changes.added);
  for (const { restId, description } of accounts) if (added.has(restId)) print(`added ${description}`);
  for (const account of accounts) if (account.note !== undefined) printNote(account.note);
  printNote(describeAdded(panel, changes));
}

/** `panel stars: 2 accounts added, 1 member with a new note, 3 already in it`. */
export function describeAdded(panel: string, { added, noted, unchanged }: AddedMembers): string {
  const others = [
    ...(noted.length > 0 ? [`${pluralize(noted.length, 'member')} with a new note`] : []),
    ...(unchanged.length > 0 ? [`${formatCount(unchanged.length)} already in it`] : []),
  ];
  return `panel ${panel}: ${[`${pluralize(added.length, 'account')} added`, ...others].join(', ')}`;
}
