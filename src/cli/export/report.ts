import { SECOND } from '../../clock.ts';
import type { Selection } from '../../export/selection.ts';
import { sidecarPathOf } from '../../export/sidecar.ts';
import type { HiddenRows } from '../../export/table-query.ts';
import type { WrittenFile } from '../../export/write-file.ts';
import { docsPage } from '../shared/docs-page.ts';
import { formatBytes, formatCount, formatDuration, formatPercent, pluralize, pronounOf } from '../terminal/format.ts';
import { print } from '../terminal/output.ts';

/** The note on files that other programs read without types. */
export const IDS_IN_CSV =
  'Ids are text: Excel, R and pandas read those of a csv as numbers and change their last digits.\n' +
  `  ${docsPage('exports.md')} has the settings that keep them.`;

/** Returns a function that formats the progress: rows, share of the expected rows if it is known, and rate. */
export function createRowProgress(
  expected: number | undefined,
  startedAt: number,
  now: () => number,
): (rows: number) => string {
  return (rows) => {
    const rate = Math.round((SECOND * rows) / Math.max(1, now() - startedAt));
    const share = expected ? [formatPercent(Math.min(1, rows / expected))] : [];
    return [`${formatCount(rows)} rows`, ...share, `${formatCount(rate)} rows/s`].join(' · ');
  };
}

/** Prints what was written. */
export function describeFile({ path, rows, bytes }: WrittenFile, durationMs: number): void {
  print(`${path}: ${pluralize(rows, 'row')}, ${formatBytes(bytes)}, in ${formatDuration(durationMs)}`);
  print(`${sidecarPathOf(path)}: where the rows come from, and how complete they are`);
}

/** Says how many rows are left out, or are there only because they were asked for. */
export function describeHidden(
  { deletedTweets, unavailableAccounts }: HiddenRows,
  { includeDeleted, sample }: Pick<Selection, 'includeDeleted' | 'sample'>,
  hasTweets: boolean,
): string {
  const tweets = hasTweets ? `${pluralize(deletedTweets, 'row')} of deleted tweets and ` : '';
  const counts = `${tweets}${pluralize(unavailableAccounts, 'row')} of accounts that the service no longer shows`;
  if (includeDeleted) return sample ? `drawn from all rows, with ${counts}` : `included: ${counts}`;
  const count = deletedTweets + unavailableAccounts;
  const hint = count > 0 ? ` (--include-deleted exports ${pronounOf(count)})` : '';
  return `left out: ${counts}${hint}`;
}
