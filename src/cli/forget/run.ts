import { systemClock } from '../../base/clock.ts';
import { UsageError } from '../../base/errors.ts';
import {
  computeErasureSpace,
  eraseAccounts,
  type ErasureSummary,
  previewErasure,
} from '../../store/erasure/erase-accounts.ts';
import type { AccountNames } from '../../store/erasure/selection/erased-identity.ts';
import type { MentionsPolicy } from '../../store/erasure/tombstones.ts';
import { readShipTargets } from '../../store/outbox/ship-targets.ts';
import { openDatabase } from '../../store/sqlite/database.ts';
import type { CommonOptions } from '../shared/common-options.ts';
import { readStore, requireStore } from '../shared/existing-store.ts';
import { openFileTargets } from '../shared/file-targets.ts';
import { trapSignals } from '../shared/signals.ts';
import { askYes, requireTerminal } from '../terminal/ask.ts';
import { formatBytes, formatDuration, pluralize, print, printJson, printNote } from '../terminal/print.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { describeRemains, formatTables, listRemains } from './erasure-report.ts';
import { type ResolvedAccount, resolveForgotten } from './resolve-forgotten.ts';

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
    using line = await createProgressLine({ quiet: options.quiet });
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
