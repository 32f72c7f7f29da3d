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
import { omitForgotten } from '#lake/purge-lake.ts';
import { mergeStores, type MergeOptions, type RestoreSummary, restoreStore } from '#lake/restore/restore-store.ts';
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

/** Opens a target of which a database is made. @throws UsageError if the file exists, or nothing was shipped */
async function openSource(text: string, path: string) {
  const address = parseTargetAddress(text);
  removeAbandonedFiles(path);
  if (existsSync(path)) {
    throw new UsageError(`${path} exists`, {
      hint: 'The file gets its name when it is complete. Name a new file with --db or TRAWL_DB.',
    });
  }
  const lake = await openTarget(address);
  const stores = await lake.readStores();
  if (stores.length === 0) throw new UsageError(`nothing was shipped to ${address}`);
  return { address, lake, stores };
}

/** Creates a database from facts, with progress. */
async function createDatabase(
  path: string,
  stores: readonly ShippedStore[],
  create: (options: Omit<MergeOptions, 'content' | 'stores'>) => Promise<RestoreSummary>,
): Promise<RestoreSummary> {
  using interruption = trapSignals('stopping: no database is made');
  using line = await createProgressLine();
  const total = stores.reduce((sum, { entry, snapshots }) => sum + entry - (snapshots.at(-1)?.entry ?? 0), 0);
  return await create({
    path,
    temporary: `${path}${temporarySuffix(process.pid)}`,
    now: systemClock.now,
    signal: interruption.signal,
    onProgress: (entries) => line.show(`entry ${formatCount(entries)} of ${formatCount(total)}`),
  });
}

const formatRows = (rows: RestoreSummary['rows']): string =>
  Object.entries(rows)
    .map(([table, count]) => `${formatCount(count)} ${table}`)
    .join(', ');

/** Merges the facts of all stores of a target into a new database. */
export async function runMerge(text: string, { db: path, json }: CommonOptions): Promise<void> {
  const { address, lake, stores } = await openSource(text, path);
  const { entries, unfinished, rows } = await createDatabase(path, stores, async (options) =>
    mergeStores({ ...options, stores, content: await omitForgotten(await readLakeContent(lake), options.signal) }),
  );
  const sealed = stores.map(({ store, sealedAt }) => ({ store, sealedAt }));
  if (json) return printJson({ db: path, target: address, stores: sealed, entries, rows, unfinished });
  const [oldest] = sealed.map(({ sealedAt }) => sealedAt).toSorted();
  const asOf = stores.length === 1 ? `as of ${oldest}` : `each as of ${oldest} or later`;
  print(`${path}: ${formatRows(rows)}, of ${pluralize(stores.length, 'database')}, ${asOf}`);
  if (unfinished > 0)
    printNote(`${pluralize(unfinished, 'unfinished crawl is', 'unfinished crawls are')} partial in this database`);
}

/** Restores a store from a target, and prints what was restored and what was not. */
export async function runRestore({ from, store, db: path, json, shipBacklog }: RestoreArguments): Promise<void> {
  const { address, lake, stores } = await openSource(from, path);
  const record = findStore(stores, store, address);
  const { entries, unfinished, rows } = await createDatabase(path, [record], async (options) =>
    restoreStore({ ...options, address, record, maxBacklogBytes: shipBacklog, content: await readLakeContent(lake) }),
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
