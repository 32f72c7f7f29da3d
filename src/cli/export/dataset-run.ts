import { systemClock } from '../../clock.ts';
import { type Dataset, writeDataset } from '../../export/dataset/dataset.ts';
import { createPseudonyms } from '../../export/pseudonyms/pseudonyms.ts';
import { openSnapshot } from '../../export/snapshot.ts';
import { EXIT } from '../shared/common-options.ts';
import { decideEvidenceCode, printEvidenceAge } from '../shared/evidence-options.ts';
import { trapSignals } from '../shared/signals.ts';
import { formatBytes, formatCount, formatDuration, pluralize, pronounOf } from '../terminal/format.ts';
import { print, printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { findAccounts } from './accounts.ts';
import { formatCommandLine } from './command-line.ts';
import type { DatasetOptions } from './dataset-command.ts';
import { readPseudonymSettings } from './pseudonym-settings.ts';
import { readSelection } from './selection-options.ts';

/** Writes a dataset. Returns the exit code. @throws the reason of an interrupt */
export async function runDatasetExport(options: DatasetOptions): Promise<number> {
  const { db, output, format, idsOnly, overwrite, quiet, json } = options;
  const settings = readPseudonymSettings(options, { path: output, isFolder: true });
  const startedAt = systemClock.now();
  using interruption = trapSignals('stopping: nothing is written');
  using snapshot = openSnapshot(db);
  const { restIds, unknown } = await findAccounts(snapshot.db, options);
  using line = await createProgressLine({ quiet, now: systemClock.now });
  const dataset = await writeDataset({
    snapshot,
    path: output,
    format: idsOnly ? 'ids' : format,
    overwrite,
    pseudonyms: settings && createPseudonyms(settings),
    selection: {
      ...readSelection(options),
      accountRestIds: restIds,
    },
    metadata: readMetadata(options, snapshot.takenAt),
    command: formatCommandLine(),
    signal: interruption.signal,
    onProgress: ({ table, rows }) => line.show(`${table}: ${formatCount(rows)} rows`),
  });
  line[Symbol.dispose]();
  const durationMs = systemClock.now() - startedAt;
  if (json) {
    printJson({
      folder: output,
      ...countTotals(dataset),
      durationMs,
      snapshotAt: new Date(snapshot.takenAt).toISOString(),
      files: dataset.files.map(({ file, rows, bytes, sha256 }) => ({
        file,
        rows,
        bytes,
        sha256,
      })),
      hidden: dataset.hidden,
      includesDeleted: options.includeDeleted === true,
      unknownAccounts: unknown,
      deletions: dataset.deletions,
    });
  } else {
    const { rows, bytes } = countTotals(dataset);
    const files = pluralize(dataset.files.length, 'file');
    print(`${output}: ${pluralize(rows, 'row')} in ${files}, ${formatBytes(bytes)}, in ${formatDuration(durationMs)}`);
  }
  if (!quiet) for (const note of listNotes(dataset, options)) printNote(note);
  if (!quiet) printEvidenceAge(dataset.deletions);
  return unknown.length > 0 ? EXIT.partial : decideEvidenceCode(options, dataset.deletions);
}

function readMetadata(options: DatasetOptions, takenAt: number) {
  const { title, author, publisher, purpose, ethicsRef, retention } = options;
  return {
    title: title ?? `Microblog data as of ${new Date(takenAt).toISOString().slice(0, 10)}`,
    authors: [...new Set(author)],
    publisher,
    statements: {
      ...(purpose !== undefined && { purpose: [purpose] }),
      ...(ethicsRef !== undefined && { ethicsRef: [ethicsRef] }),
      ...(retention !== undefined && { retention: [retention] }),
    },
  };
}

const countTotals = ({ files }: Dataset) => ({
  rows: files.reduce((sum, { rows }) => sum + rows, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** What is left out of the dataset, and what people have to add. */
function listNotes({ hidden }: Dataset, { includeDeleted, author, publisher }: DatasetOptions): string[] {
  const { deletedTweets, unavailableAccounts } = hidden;
  const counts = `${pluralize(deletedTweets, 'deleted tweet')} and ${pluralize(unavailableAccounts, 'account')} that the service no longer shows`;
  const count = deletedTweets + unavailableAccounts;
  const hint = count > 0 ? ` (--include-deleted exports ${pronounOf(count)})` : '';
  const missing = [...(author === undefined ? ['author'] : []), ...(publisher === undefined ? ['publisher'] : [])];
  return [
    includeDeleted ? `included: ${counts}` : `left out: ${counts}${hint}`,
    ...(missing.length === 0
      ? []
      : [`CITATION.cff has no ${missing.join(' and no ')} yet: enter it before you publish the dataset`]),
  ];
}
