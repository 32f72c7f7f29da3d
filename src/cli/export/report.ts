import { SECOND } from '#base/clock.ts';
import { docsPage } from '#cli/shared/docs-page.ts';
import { formatBytes, formatCount, formatDuration, pluralize, pronounOf } from '#cli/terminal/print.ts';
import type { Selection } from '#files/export/row-selection.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import type { HiddenRows } from '#files/export/table-query.ts';
import type { WrittenFile } from '#files/export/write-file.ts';

/** The note on files that other programs read without types. */
export const IDS_IN_CSV =
  'Ids are text: Excel, R and pandas read those of a csv as numbers and change their last digits.\n' +
  `  ${docsPage('exports.md')} has the settings that keep them.`;

/** Returns a function that formats the progress: rows and rate. */
export const createRowProgress =
  (startedAt: number, now: () => number) =>
  (rows: number): string =>
    `${pluralize(rows, 'row')} · ${formatCount(Math.round((SECOND * rows) / Math.max(1, now() - startedAt)))} rows/s`;

/** The lines that say what was written. */
export const describeFile = ({ path, rows, bytes }: WrittenFile, durationMs: number): string[] => [
  `${path}: ${pluralize(rows, 'row')}, ${formatBytes(bytes)}, in ${formatDuration(durationMs)}`,
  `${sidecarPathOf(path)}: provenance and completeness`,
];

/** Says what is left out, or is there only because it was asked for. @param count of it, for the hint */
export function describeLeftOut(counts: string, count: number, includeDeleted: boolean | undefined): string {
  if (includeDeleted) return `included: ${counts}`;
  return `left out: ${counts}${count > 0 ? ` (--include-deleted exports ${pronounOf(count)})` : ''}`;
}

/** Says how many rows are left out, or are there only because they were asked for. */
export function describeHidden(
  { deletedTweets, unavailableAccounts }: HiddenRows,
  { includeDeleted, sample }: Pick<Selection, 'includeDeleted' | 'sample'>,
  hasTweets: boolean,
): string {
  const tweets = hasTweets ? `${pluralize(deletedTweets, 'row')} of deleted tweets and ` : '';
  const counts = `${tweets}${pluralize(unavailableAccounts, 'row')} of accounts that the service no longer shows`;
  if (includeDeleted && sample) return `drawn from all rows, with ${counts}`;
  return describeLeftOut(counts, deletedTweets + unavailableAccounts, includeDeleted);
}
