import { existsSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatCount, hint, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { readLakeContent } from '#lake/files/lake-content.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { restoreStore } from '#lake/restore/restore-store.ts';
import { openTarget, parseTargetAddress } from './edit-targets.ts';

interface RestoreArguments extends CommonOptions {
  readonly from: string;
  readonly store?: string;
  readonly shipBacklog?: number;
}

/** What facts do not have. */
const NOT_RESTORED = [
  'bodies of pages, which only the lost database had: nothing can be rebuilt from them',
  'rejected items, unknown fields and field statistics',
  'panels, schedules with their runs and budgets, alerts and samples of the quota',
  'cursors and checkpoints: unfinished crawls begin at the top',
  'changes after the last shipped entry',
];
/** What a snapshot does not have either. */
const NOT_IN_SNAPSHOT = [
  'of the time before the snapshot: when earlier values changed, steps, searches without a result, and how many items of a crawl were new',
];

/** Restores a store from a target, and prints what was restored and what was not. */
export async function runRestore({ from, store, db: path, json, shipBacklog }: RestoreArguments): Promise<void> {
  const address = parseTargetAddress(from);
  removeAbandonedFiles(path);
  if (existsSync(path)) {
    throw new UsageError(`${path} exists`, {
      hint: 'A restore gives a file its name when it is complete. To restore another one, name a new file with --db or TRAWL_DB.',
    });
  }
  const lake = await openTarget(address);
  const record = findStore(await lake.readStores(), store, address);
  using interruption = trapSignals('stopping: nothing is restored');
  const content = await readLakeContent(lake);
  using line = await createProgressLine();
  const { entries, unfinished, rows } = await restoreStore({
    path,
    temporary: `${path}${temporarySuffix(process.pid)}`,
    address,
    record,
    maxBacklogBytes: shipBacklog,
    content,
    now: systemClock.now,
    signal: interruption.signal,
    onProgress: (entry) => line.show(`entry ${formatCount(entry)} of ${formatCount(record.entry)}`),
  });
  line[Symbol.dispose]();
  const notRestored = [...NOT_RESTORED, ...(record.snapshots.length > 0 ? NOT_IN_SNAPSHOT : [])];
  if (json)
    return printJson({
      db: path,
      target: address,
      store: record.store,
      entries,
      rows,
      unfinished,
      notRestored,
    });
  const counts = Object.entries(rows).map(([table, count]) => `${formatCount(count)} ${table}`);
  print(`${path}: ${counts.join(', ')}, as of ${record.sealedAt}`);
  print(`not restored:\n${notRestored.map((each) => `- ${each}`).join('\n')}`);
  if (unfinished > 0)
    printNote(
      `${pluralize(unfinished, 'unfinished crawl begins', 'unfinished crawls begin')} again: ${hint('work')} runs them`,
    );
  printNote('The lost database must not be used again: both would have one identity.');
}

/** @throws UsageError if the target does not have the store, or has several */
function findStore(stores: readonly ShippedStore[], store: string | undefined, address: string): ShippedStore {
  const found = stores.filter((each) => store === undefined || each.store === store);
  const [only] = found;
  if (only && found.length === 1) return only;
  const names = stores.map((each) => each.store).join(', ');
  if (stores.length === 0) throw new UsageError(`nothing was shipped to ${address}`);
  throw new UsageError(store === undefined ? `${address} has several stores` : `${address} has no store ${store}`, {
    hint: `Name one of them with --store: ${names}.`,
  });
}
