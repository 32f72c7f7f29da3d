import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { getContext } from '#cli/context.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { trapSignals } from '#cli/shared/signals.ts';
import { printNote } from '#cli/terminal/print.ts';
import { type FormatName, formatOf } from '#files/export/formats/formats.ts';
import type { Format } from '#files/export/formats/output-format.ts';
import { sidecarPathOf } from '#files/export/sidecar.ts';
import { readTable, type TableFile, type TableFileRequest, writeTableFile } from '#files/export/table-file.ts';
import { countHiddenRows, readDeletionEvidence } from '#files/export/table-query.ts';
import { exportTables, type TableName } from '#files/export/tables/export-tables.ts';
import { writeStream } from '#files/export/write-stream.ts';
import type { PseudonymOptions } from './pseudonym-options.ts';
import { createRowProgress, describeFile, describeHidden, IDS_IN_CSV } from './report.ts';
import type { SampleOptions, SelectionOptions } from './selection-options.ts';
import { runSnapshotExport } from './snapshot-export.ts';

export interface ExportOptions extends CommonOptions, SelectionOptions, SampleOptions, PseudonymOptions {
  readonly output?: string;
  readonly format?: FormatName;
}

/** Exports a table. Returns the exit code. @throws the reason of an interrupt */
export async function runExport(table: TableName | undefined, options: ExportOptions): Promise<number> {
  const output = requireOutput(options);
  const format = chooseFormat(output, options);
  if (table !== undefined) return await exportRows(table, output, format, options);
  throw new UsageError('no table to export', { hint: `Tables: ${Object.keys(exportTables).join(', ')}.` });
}

async function exportRows(name: TableName, output: string, format: Format, options: ExportOptions): Promise<number> {
  const hasTweets = exportTables[name].tweetId !== undefined;
  if (options.olderThan !== undefined && !hasTweets)
    throw new UsageError(`--older-than does not apply to ${name}: its rows belong to no tweets`);
  using interruption = trapSignals('stopping: no file is written');
  return await runSnapshotExport(options, { path: output }, async ({ show, startedAt, ...run }) => {
    const { selection, pseudonyms } = run;
    const { sample } = selection;
    const describeProgress = createRowProgress(startedAt, systemClock.now);
    if (sample && options.seed === undefined) printNote(`--seed ${sample.seed} draws this sample again`);
    const request: TableRequest = {
      ...run,
      table: name,
      format,
      signal: interruption.signal,
      onRows: (rows) => show(describeProgress(rows)),
    };
    const file = output === '-' ? undefined : await writeTableFile({ ...request, path: output });
    const { hidden, deletions } = file ?? (await printTable(request));
    return {
      document: file && {
        file: output,
        sidecar: sidecarPathOf(output),
        rows: file.rows,
        bytes: file.bytes,
        sha256: file.sha256,
        hidden,
        sample: sample ?? null,
      },
      describe: (durationMs) => (file ? describeFile(file, durationMs) : []),
      notes: [
        describeHidden(hidden, selection, hasTweets),
        ...(file && !pseudonyms && format === formatOf('csv') ? [IDS_IN_CSV] : []),
      ],
      deletions,
    };
  });
}

type TableRequest = Omit<TableFileRequest, 'path'>;

async function printTable({
  snapshot,
  table,
  selection,
  format,
  pseudonyms,
  ...rest
}: TableRequest): Promise<Pick<TableFile, 'hidden' | 'deletions'>> {
  const definition = exportTables[table];
  const result = readTable(snapshot, definition, selection, pseudonyms);
  await writeStream(getContext().streams.stdout, (sink) => format.write(result, sink, rest));
  return {
    hidden: countHiddenRows(snapshot, definition, selection),
    deletions: definition.tweetId === undefined ? undefined : readDeletionEvidence(snapshot, selection),
  };
}

/** @throws UsageError if no file is named */
function requireOutput({ output }: Pick<ExportOptions, 'output'>): string {
  if (output !== undefined) return output;
  throw new UsageError('no file to write', { hint: 'Name it with -o, such as -o tweets.csv; -o - writes to stdout.' });
}

/** @throws UsageError if the format is unknown or cannot be printed */
function chooseFormat(output: string, { format: name, json }: ExportOptions): Format {
  if (output !== '-') return formatOf(name ?? output);
  const format = formatOf(name ?? 'csv');
  if (!format.isText) throw new UsageError(`${name} cannot be written to stdout`, { hint: 'Name a file with -o.' });
  if (json) throw new UsageError('--json and -o - both write to stdout');
  return format;
}
