import { isFolderAddress } from '#base/target-address.ts';
import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { formatBytes, formatDay, formatDuration, pluralize } from '#cli/terminal/print.ts';
import { readTargetVariables } from '#config.ts';
import type { DatasetFormat } from '#files/export/dataset/dataset-formats.ts';
import { type Dataset, writeDataset } from '#files/export/dataset/dataset.ts';
import { countBytes } from '#files/export/dataset/written-file.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';
import { describeLeftOut } from './report.ts';
import type { SelectionOptions } from './selection-options.ts';
import { runSnapshotExport } from './snapshot-export.ts';

export interface DatasetOptions extends CommonOptions, SelectionOptions, PseudonymOptions {
  readonly output: string;
  readonly format: DatasetFormat;
  readonly partitionBy?: number;
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
  const { output, format, idsOnly, partitionBy, overwrite } = options;
  const isFolder = isFolderAddress(output);
  using interruption = trapSignals('stopping: nothing is written');
  return await runSnapshotExport(
    options,
    { path: isFolder ? output : undefined, isFolder },
    async ({ show, ...run }) => {
      const dataset = await writeDataset({
        ...run,
        path: output,
        variables: readTargetVariables(getContext().env),
        format: idsOnly ? 'ids' : format,
        partitions: partitionBy,
        overwrite,
        metadata: readMetadata(options, run.snapshot.takenAt),
        signal: interruption.signal,
        onProgress: ({ table, rows }) => show(`${table}: ${pluralize(rows, 'row')}`),
      });
      const { address, files, hidden, deletions } = dataset;
      const rows = files.reduce((sum, file) => sum + file.rows, 0);
      const parts = files.flatMap((file) => file.parts);
      const written =
        parts.length === 0
          ? pluralize(files.length, 'table')
          : `${pluralize(parts.length, 'file')}, ${formatBytes(countBytes(parts))}`;
      return {
        document: {
          folder: address,
          rows,
          bytes: countBytes(parts),
          files: files.map(({ file, rows, parts }) => ({
            file,
            rows,
            bytes: countBytes(parts),
            ...(parts.length === 1 && { sha256: parts[0]!.sha256 }),
          })),
          hidden,
        },
        describe: (durationMs) => [
          `${address}: ${pluralize(rows, 'row')} in ${written}, in ${formatDuration(durationMs)}`,
        ],
        notes: listNotes(dataset, options),
        deletions,
      };
    },
  );
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
function listNotes({ files, hidden }: Dataset, { includeDeleted, author, publisher }: DatasetOptions): string[] {
  const { deletedTweets, unavailableAccounts } = hidden;
  const counts = `${pluralize(deletedTweets, 'deleted tweet')} and ${pluralize(unavailableAccounts, 'account')} that the service no longer shows`;
  const missing = [...(author === undefined ? ['author'] : []), ...(publisher === undefined ? ['publisher'] : [])];
  return [
    describeLeftOut(counts, deletedTweets + unavailableAccounts, includeDeleted),
    ...(missing.length === 0 || files.every(({ parts }) => parts.length === 0)
      ? []
      : [`CITATION.cff has no ${missing.join(' and no ')} yet: enter it before you publish the dataset`]),
  ];
}
