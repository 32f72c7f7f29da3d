import { readHolders, resolveHolder } from '#analysis/handle-holders.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore, requireStore } from '#cli/shared/existing-store.ts';
import { openFileTargets } from '#cli/shared/file-targets.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { askYes, requireTerminal } from '#cli/terminal/ask.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import {
  formatBytes,
  formatDuration,
  pluralize,
  print,
  printJson,
  printNote,
  hint,
  renderTable,
} from '#cli/terminal/print.ts';
import { parseAccount, parseTarget } from '#service/kinds/target.ts';
import {
  computeErasureSpace,
  eraseAccounts,
  type ErasureSummary,
  previewErasure,
} from '#store/erasure/erase-accounts.ts';
import type { TableCounts } from '#store/erasure/erase-rows.ts';
import { listFilesBeside } from '#store/erasure/files-beside.ts';
import type { AccountNames } from '#store/erasure/selection/erased-identity.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import { openDatabase, type Db } from '#store/sqlite/database.ts';

interface ForgetOptions extends CommonOptions {
  readonly fromFile?: string;
  readonly mentions: MentionsPolicy;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Erases accounts, after a confirmation, and prints what was erased and what was not. */
export async function runForget(typed: readonly string[], options: ForgetOptions): Promise<void> {
  const { db, mentions, dryRun, yes, fromFile } = options;
  await requireStore(db);
  // Migrates the store.
  if (!dryRun) openDatabase(db).$client.close();
  const all = [...typed, ...((await openFileTargets(fromFile)) ?? [])];
  const resolved = await readStore(db, (store) => resolveForgotten(store, all));
  const accounts: AccountNames = {
    restIds: resolved.flatMap(({ restId }) => restId ?? []),
    handles: resolved.flatMap(({ restId, handle }) => (restId === null && handle !== null ? [handle] : [])),
  };
  const targets = (await readStore(db, readShipTargets)).map(({ address }) => address);
  const startedAt = systemClock.now();
  using interruption = trapSignals('stopping: nothing is erased');
  const { signal } = interruption;
  const withProgress = async <T>(fn: (show: (what: string) => void) => Promise<T>): Promise<T> => {
    using line = await createProgressLine();
    return await fn((what) => line.show(what));
  };
  if (dryRun || !yes) {
    const what = `${pluralize(resolved.length, 'account')} would be erased`;
    if (!dryRun) requireTerminal(what, '--dry-run prints the numbers of rows; --yes erases the accounts.');
    const preview = await withProgress((show) =>
      previewErasure({
        path: db,
        accounts,
        mentions,
        signal,
        onProgress: (pages, total) => show(`${pages} of ${pluralize(total, 'page')} searched`),
      }),
    );
    if (dryRun) return printResult(preview, resolved, targets, options);
    printNote(describeAccounts(resolved));
    printNote(formatTables(preview.tables));
    const question = `Erase from ${db}? It needs ${formatBytes(computeErasureSpace(db))} of disk space.`;
    if (!(await askYes(question, signal))) throw new UsageError('nothing was erased');
  }
  const summary = await withProgress((onProgress) =>
    eraseAccounts({ path: db, accounts, mentions, now: systemClock.now, signal, onProgress }),
  );
  printResult(summary, resolved, targets, options, systemClock.now() - startedAt);
}

/** @param durationMs undefined for a preview */
function printResult(
  summary: ErasureSummary,
  accounts: readonly ResolvedAccount[],
  targets: readonly string[],
  { db, mentions, json }: ForgetOptions,
  durationMs?: number,
): void {
  const { tables, reassignedHandles } = summary;
  const notErased = listRemains(db, summary, targets);
  if (json) {
    const done = durationMs === undefined ? { dryRun: true } : { dryRun: false, durationMs };
    return printJson({ db, ...done, mentions, accounts, tables, reassignedHandles, notErased });
  }
  printNote(describeAccounts(accounts));
  print(formatTables(tables));
  if (durationMs !== undefined)
    printNote(`erased in ${formatDuration(durationMs)}; ${db} is a new file without free pages`);
  for (const line of describeRemains(notErased, reassignedHandles)) printNote(line);
}

const describeAccounts = (accounts: readonly ResolvedAccount[]): string =>
  accounts
    .map(({ restId, handle, isStored }) => {
      const id = restId === null ? [] : [`id:${restId}`];
      const name = [...(handle === null ? [] : [`@${handle}`]), ...id].join(', ');
      return isStored
        ? name
        : `${name}: no profile is stored; records that name it are erased, and it is not collected again`;
    })
    .join('\n');

/** What trawl cannot list, since it does not record it. */
const ELSEWHERE = [
  'backups and other copies of the database, also former ones under another hard link, and snapshots of the disk',
  'earlier exports, charts, reports and datasets',
  'files of jobs, targets, panels and saved queries that name the accounts',
  'names of jobs and panels, and earlier handles that other accounts had, too',
  'other databases, and logs of workers',
];

/** What an erasure leaves as it is. Views, triggers and indexes of users are listed if their statement names an account. */
const listRemains = (db: string, { ownObjects }: Pick<ErasureSummary, 'ownObjects'>, targets: readonly string[]) => ({
  targets,
  files: listFilesBeside(db),
  ownTables: ownObjects.tables,
  ownObjects: ownObjects.naming,
  elsewhere: ELSEWHERE,
});

/** The lines that say what was not erased. */
function* describeRemains(
  { files, ownTables, ownObjects, targets, elsewhere }: ReturnType<typeof listRemains>,
  reassignedHandles: readonly string[],
): Generator<string, void> {
  if (reassignedHandles.length > 0) {
    const handles = reassignedHandles.map((handle) => `@${handle}`).join(', ');
    yield `another stored account has this handle now; records that name it stay: ${handles}`;
  }
  if (files.length > 0) yield `not erased, beside the database: ${files.join(', ')}`;
  if (ownTables.length > 0) yield `not erased, tables that trawl did not create: ${ownTables.join(', ')}`;
  if (ownObjects.length > 0)
    yield `not erased, views, triggers and indexes of yours that name an account: ${ownObjects.join(', ')}`;
  if (targets.length > 0)
    yield `not erased, facts that were shipped to ${targets.join(', ')}: ${hint('lake ship')} hides the accounts there, ${hint('lake purge')} then removes them`;
  yield ['not erased, and not known to trawl:', ...elsewhere].join('\n  - ');
}

/** A table of the numbers of rows; a sentence without rows. */
const formatTables = (tables: readonly TableCounts[]): string =>
  tables.length === 0
    ? 'the database has no rows of these accounts'
    : renderTable(
        ['table', 'rows removed', 'rows changed'],
        tables.map(({ table, removed, changed }) => [table, removed, changed]),
      );

/** An account to erase. */
interface ResolvedAccount {
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
function resolveForgotten(db: Db, typed: Iterable<string>): ResolvedAccount[] {
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
