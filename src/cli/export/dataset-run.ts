import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { formatBytes, formatDay, formatDuration, pluralize } from '#cli/terminal/print.ts';
import type { DatasetFormat } from '#files/export/dataset/dataset-formats.ts';
import { type Dataset, writeDataset } from '#files/export/dataset/dataset.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';
import { describeLeftOut } from './report.ts';
import type { SelectionOptions } from './selection-options.ts';
import { runSnapshotExport } from './snapshot-export.ts';

export interface DatasetOptions extends CommonOptions, SelectionOptions, PseudonymOptions {
  readonly output: string;
  readonly format: DatasetFormat;
  readonly idsOnly?: true;
  readonly overwrite?: true;
  readonly title?: string;
  readonly author?: readonly string[];
  readonly publisher?: string;
  readonly purpose?: string;
  readonly ethicsRef?: string;
  readonly retention?: string;
}

/** Writes a dataset. Returns the exit code. @throws the reason of an interrupt */
export async function runDatasetExport(options: DatasetOptions): Promise<number> {
  const { output, format, idsOnly, overwrite } = options;
  using interruption = trapSignals('stopping: nothing is written');
  return await runSnapshotExport(options, { path: output, isFolder: true }, async ({ show, ...run }) => {
    const dataset = await writeDataset({
      ...run,
      path: output,
      format: idsOnly ? 'ids' : format,
      overwrite,
      metadata: readMetadata(options, run.snapshot.takenAt),
      signal: interruption.signal,
      onProgress: ({ table, rows }) => show(`${table}: ${pluralize(rows, 'row')}`),
    });
    const { files, hidden, deletions } = dataset;
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    return {
      document: {
        folder: output,
        rows,
        bytes,
        files: files.map((file) => ({ file: file.file, rows: file.rows, bytes: file.bytes, sha256: file.sha256 })),
        hidden,
      },
      describe: (durationMs) => [
        `${output}: ${pluralize(rows, 'row')} in ${pluralize(files.length, 'file')}, ${formatBytes(bytes)}, in ${formatDuration(durationMs)}`,
      ],
      notes: listNotes(dataset, options),
      deletions,
    };
  });
}

function readMetadata(options: DatasetOptions, takenAt: number) {
  const { title, author, publisher, purpose, ethicsRef, retention } = options;
  return {
    title: title ?? `Microblog data as of ${formatDay(takenAt)}`,
    authors: [...new Set(author)],
    publisher,
    statements: {
      ...(purpose !== undefined && { purpose: [purpose] }),
      ...(ethicsRef !== undefined && { ethicsRef: [ethicsRef] }),
      ...(retention !== undefined && { retention: [retention] }),
    },
  };
}

/** What is left out of the dataset, and what people have to add. */
function listNotes({ hidden }: Dataset, { includeDeleted, author, publisher }: DatasetOptions): string[] {
  const { deletedTweets, unavailableAccounts } = hidden;
  const counts = `${pluralize(deletedTweets, 'deleted tweet')} and ${pluralize(unavailableAccounts, 'account')} that the service no longer shows`;
  const missing = [...(author === undefined ? ['author'] : []), ...(publisher === undefined ? ['publisher'] : [])];
  return [
    describeLeftOut(counts, deletedTweets + unavailableAccounts, includeDeleted),
    ...(missing.length === 0
      ? []
      : [`CITATION.cff has no ${missing.join(' and no ')} yet: enter it before you publish the dataset`]),
  ];
}
