import { existsSync } from 'node:fs';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import { toIso } from '#base/units.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatCount, hint, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { readLakeContent } from '#lake/files/lake-content.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { omitForgotten } from '#lake/purge-lake.ts';
import { mergeStores } from '#lake/restore/merge-stores.ts';
import { findSnapshot, type NewStoreOptions, type RestoreSummary, restoreStore } from '#lake/restore/restore-store.ts';
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

/** Opens a target of which a database is made. @throws UsageError if nothing was shipped there */
async function openSource(text: string, path: string) {
  removeAbandonedFiles(path);
  const address = parseTargetAddress(text);
  const content = await readLakeContent(await openTarget(address));
  if (content.stores.length === 0) throw new UsageError(`nothing was shipped to ${address}`);
  return { address, content };
}

/** Makes a database of facts, with progress. @param onStop what is said when it is interrupted */
async function makeDatabase<T>(
  path: string,
  onStop: string,
  make: (
    options: Pick<NewStoreOptions, 'path' | 'temporary' | 'now' | 'signal'>,
    onProgress: (entries: number, total: number) => void,
  ) => Promise<T>,
): Promise<T> {
  using interruption = trapSignals(onStop);
  using line = await createProgressLine();
  return await make(
    { path, temporary: `${path}${temporarySuffix(process.pid)}`, now: systemClock.now, signal: interruption.signal },
    (entries, total) => line.show(`entry ${formatCount(entries)} of ${formatCount(total)}`),
  );
}

const formatRows = (rows: RestoreSummary['rows']): string =>
  Object.entries(rows)
    .map(([table, count]) => `${formatCount(count)} ${table}`)
    .join(', ');

/** Merges the facts of all stores of a target into a new database, or the new ones into one that was made so. */
export async function runMerge(text: string, { db: path, json }: CommonOptions): Promise<void> {
  const { address, content } = await openSource(text, path);
  const { stores } = content;
  const onStop = 'stopping: run it again to finish';
  const merged = await makeDatabase(path, onStop, async (options, onProgress) =>
    mergeStores({ ...options, onProgress, ...(await omitForgotten(content, options.signal)) }),
  );
  const { made, why, until, entries, unfinished, rows } = merged;
  const sealed = stores.map(({ store, sealedAt }) => ({ store, sealedAt }));
  const [oldest] = sealed.map(({ sealedAt }) => sealedAt).toSorted();
  const asOf = until === undefined ? oldest! : toIso(until);
  if (json) return printJson({ db: path, target: address, stores: sealed, made, why, asOf, entries, rows, unfinished });
  const isExact = until !== undefined || stores.length === 1;
  print(
    `${path}: ${formatRows(rows)}, of ${pluralize(stores.length, 'database')}, ${isExact ? '' : 'each '}as of ${asOf}${isExact ? '' : ' or later'}`,
  );
  if (made === 'updated') printNote(`${pluralize(entries, 'entry is', 'entries are')} new`);
  if (why !== undefined) printNote(`the file was created again, because ${why}`);
  if (until !== undefined) printNote('databases are being shipped: the next run merges later facts');
  if (unfinished > 0)
    printNote(`${pluralize(unfinished, 'unfinished crawl is', 'unfinished crawls are')} partial in this database`);
}

/** Restores a store from a target, and prints what was restored and what was not. */
export async function runRestore({ from, store, db: path, json, shipBacklog }: RestoreArguments): Promise<void> {
  const { address, content } = await openSource(from, path);
  if (existsSync(path)) {
    throw new UsageError(`${path} exists`, {
      hint: 'The file gets its name when it is complete. Name a new file with --db or TRAWL_DB.',
    });
  }
  const record = findStore(content.stores, store, address);
  const total = record.entry - findSnapshot(record);
  const onStop = 'stopping: no database is made';
  const { entries, unfinished, rows } = await makeDatabase(path, onStop, async (options, onProgress) =>
    restoreStore({
      ...options,
      onProgress: (count) => onProgress(count, total),
      address,
      record,
      maxBacklogBytes: shipBacklog,
      content,
    }),
  );
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
  print(`${path}: ${formatRows(rows)}, as of ${record.sealedAt}`);
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
  throw new UsageError(store === undefined ? `${address} has several stores` : `${address} has no store ${store}`, {
    hint: `Name one of them with --store: ${names}.`,
  });
}
