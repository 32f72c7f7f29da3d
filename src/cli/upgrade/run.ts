import { systemClock } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import { openReadOnly } from '../../store/sqlite/database.ts';
import { isUpgradable, upgradeSpace, upgradeStore } from '../../store/upgrade/upgrade.ts';
import { type CommonOptions } from '../shared/common-options.ts';
import { requireStore } from '../shared/existing-store.ts';
import { askYes, hasTerminal } from '../terminal/ask.ts';
import { formatBytes, formatDuration } from '../terminal/format.ts';
import { printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';

interface UpgradeOptions extends CommonOptions {
  readonly backup?: string;
  readonly yes?: true;
}

/** Upgrades a store and prints the result. */
export async function runUpgrade({ db, backup, yes, json }: UpgradeOptions): Promise<void> {
  await requireStore(db);
  if (!needsUpgrade(db)) {
    if (json) return printJson({ db, upgraded: false });
    return printNote(`${db} is up to date`);
  }
  if (backup === undefined && !yes) await confirmWithoutBackup(db);
  const startedAt = systemClock.now();
  using line = await createProgressLine({ now: systemClock.now });
  const { broken, removed } = upgradeStore({ path: db, backup, onProgress: (what) => line.show(what) });
  line[Symbol.dispose]();
  const durationMs = systemClock.now() - startedAt;
  if (json) printJson({ db, upgraded: true, backup: backup ?? null, broken, removed, durationMs });
  else printNote(`${db} is upgraded, in ${formatDuration(durationMs)}`);
  if (broken.length > 0)
    printNote(`these views and triggers of yours use old names (see docs/renames.md): ${broken.join(', ')}`);
  if (removed.length > 0) printNote(`of these, triggers were removed, since writes would fail: ${removed.join(', ')}`);
}

function needsUpgrade(path: string): boolean {
  using db = openReadOnly(path);
  return isUpgradable(db.$client, path);
}

/** @throws UsageError without a terminal, or if the answer is no. */
async function confirmWithoutBackup(db: string): Promise<void> {
  const hint = `--backup <file> copies it first (${formatBytes(upgradeSpace(db).backup)}); --yes upgrades it without a copy.`;
  if (!hasTerminal())
    throw new UsageError(`${db} would be upgraded without a backup, and there is no terminal to confirm it on`, {
      hint,
    });
  printNote(hint);
  if (!(await askYes('Upgrade without a backup?'))) throw new UsageError('nothing was changed', { hint });
}
