import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { toIso } from '#base/units.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { createProgressLine } from '#cli/terminal/output.ts';
import { formatCount, hint, pluralize, print, printJson, printNote } from '#cli/terminal/print.ts';
import { type LakeContent, readLakeContent } from '#lake/files/lake-content.ts';
import { type MergeSummary, mergeStores } from '#lake/merge/merge-stores.ts';
import { omitForgotten } from '#lake/purge-lake.ts';
import { openTarget, parseTargetAddress } from './edit-targets.ts';

/** Merges the facts of all stores of a target into a new database, or the new ones into one that was made so. */
export async function runMerge(text: string, { db: path, json }: CommonOptions): Promise<void> {
  const address = parseTargetAddress(text);
  const content = await readLakeContent(await openTarget(address));
  const { stores } = content;
  if (stores.length === 0) throw new UsageError(`nothing was shipped to ${address}`);
  const { made, why, until, entries, unfinished, rows } = await mergeContent(content, path);
  const sealed = stores.map(({ store, sealedAt }) => ({ store, sealedAt }));
  const [oldest] = sealed.map(({ sealedAt }) => sealedAt).toSorted();
  const asOf = until === undefined ? oldest! : toIso(until);
  if (json) return printJson({ db: path, target: address, stores: sealed, made, why, asOf, entries, rows, unfinished });
  const isExact = until !== undefined || stores.length === 1;
  const counts = Object.entries(rows).map(([table, count]) => `${formatCount(count)} ${table}`);
  print(
    `${path}: ${counts.join(', ')}, of ${pluralize(stores.length, 'database')}, ${isExact ? '' : 'each '}as of ${asOf}${isExact ? '' : ' or later'}`,
  );
  if (made === 'updated') printNote(`${pluralize(entries, 'entry is', 'entries are')} new`);
  if (why !== undefined) printNote(`the file was created again, because ${why}`);
  if (until !== undefined) printNote('databases are being shipped: the next run merges later facts');
  if (unfinished > 0)
    printNote(
      `${pluralize(unfinished, 'unfinished crawl is', 'unfinished crawls are')} partial: ${hint('crawls resume', '--reason not_finished')} crawls them again`,
    );
}

async function mergeContent(content: LakeContent, path: string): Promise<MergeSummary> {
  using interruption = trapSignals('stopping: run it again to finish');
  using line = await createProgressLine();
  const { signal } = interruption;
  return await mergeStores({
    path,
    now: systemClock.now,
    signal,
    onProgress: (entries, total) => line.show(`entry ${formatCount(entries)} of ${formatCount(total)}`),
    ...(await omitForgotten(content, signal)),
  });
}
