import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import { systemClock } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import type { Format, FormatOptions } from '../../export/formats/format.ts';
import { formatOf } from '../../export/formats/formats.ts';
import { pseudonymiseResult } from '../../export/pseudonyms/pseudonymise-result.ts';
import { createPseudonyms, type Pseudonyms } from '../../export/pseudonyms/pseudonyms.ts';
import type { Selection } from '../../export/selection.ts';
import { sidecarPathOf } from '../../export/sidecar.ts';
import { openSnapshot, type Snapshot } from '../../export/snapshot.ts';
import { readTable, writeTableFile } from '../../export/table-file.ts';
import { countHiddenRows, type HiddenRows, readDeletionEvidence } from '../../export/table-query.ts';
import { exportTables, type TableName } from '../../export/tables/tables.ts';
import type { WrittenFile } from '../../export/write-file.ts';
import { writeStream } from '../../export/write-stream.ts';
import { getContext } from '../context.ts';
import { EXIT } from '../shared/common-options.ts';
import { decideEvidenceCode, printEvidenceAge } from '../shared/evidence-options.ts';
import { trapSignals } from '../shared/signals.ts';
import { printJson, printNote } from '../terminal/output.ts';
import { createProgressLine } from '../terminal/progress.ts';
import { findAccounts } from './accounts.ts';
import { formatCommandLine } from './command-line.ts';
import type { ExportOptions } from './command.ts';
import { readPseudonymSettings } from './pseudonym-settings.ts';
import { createRowProgress, describeFile, describeHidden, IDS_IN_CSV } from './report.ts';
import { readSelection } from './selection-options.ts';

/** What a command exports. */
interface ExportRequest extends Pick<FormatOptions, 'onRows' | 'signal'> {
  readonly snapshot: Snapshot;
  readonly table: TableName;
  readonly selection: Selection;
  readonly format: Format;
  readonly pseudonyms: Pseudonyms | undefined;
}

/** Exports a table, or the rows of a statement. Returns the exit code. @throws the reason of an interrupt */
export async function runExport(table: TableName | undefined, options: ExportOptions): Promise<number> {
  const output = requireOutput(options);
  const format = chooseFormat(output, options);
  if (options.sql !== undefined && table !== undefined)
    throw new UsageError('there are a table and a statement: remove one');
  if (table !== undefined) return await exportRows(table, output, format, options);
  if (options.sql === undefined)
    throw new UsageError('no table to export', { hint: `Tables: ${Object.keys(exportTables).join(', ')}.` });
  const name = options.format ?? (output === '-' ? 'csv' : undefined);
  const { runSql } = await import('../sql/run.ts');
  const { db, pseudonymise, keyFile, keepText } = options;
  await runSql(options.sql, {
    db,
    output,
    ...(name && { format: name }),
    ...(pseudonymise && { pseudonymise }),
    ...(keyFile !== undefined && { keyFile }),
    ...(keepText && { keepText }),
  });
  return EXIT.complete;
}

async function exportRows(table: TableName, output: string, format: Format, options: ExportOptions): Promise<number> {
  const { db, quiet } = options;
  const hasTweets = exportTables[table].tweetId !== undefined;
  if (options.olderThan !== undefined && !hasTweets)
    throw new UsageError(`--older-than does not apply to ${table}: its rows belong to no tweets`);
  const settings = readPseudonymSettings(options, { path: output });
  const startedAt = systemClock.now();
  using interruption = trapSignals('stopping: no file is written');
  using snapshot = openSnapshot(db);
  const { restIds, unknown } = await findAccounts(snapshot.db, options);
  const selection = { ...readSelection(options), accountRestIds: restIds };
  using line = await createProgressLine({ quiet, now: systemClock.now });
  const expected = quiet ? undefined : countRows(snapshot, table, selection);
  const describeProgress = createRowProgress(expected, startedAt, systemClock.now);
  const request: ExportRequest = {
    snapshot,
    table,
    selection,
    format,
    signal: interruption.signal,
    pseudonyms: settings && createPseudonyms(settings),
    onRows: (rows) => line.show(describeProgress(rows)),
  };
  if (selection.sample && options.seed === undefined)
    printNote(`--seed ${selection.sample.seed} draws this sample again`);

  const { hidden, file, deletions } = output === '-' ? await printTable(request) : await writeTable(request, output);
  line[Symbol.dispose]();
  const durationMs = systemClock.now() - startedAt;
  if (file && options.json) {
    printJson({
      file: output,
      sidecar: sidecarPathOf(output),
      rows: file.rows,
      bytes: file.bytes,
      sha256: file.sha256,
      snapshotAt: new Date(snapshot.takenAt).toISOString(),
      durationMs,
      hidden,
      includesDeleted: options.includeDeleted === true,
      deletions: deletions ?? null,
      sample: selection.sample ?? null,
      unknownAccounts: unknown,
    });
  } else if (file) describeFile(file, durationMs);
  if (!quiet) printNote(describeHidden(hidden, selection, hasTweets));
  if (!quiet && deletions) printEvidenceAge(deletions);
  if (!quiet && file && !settings && format === formatOf('csv')) printNote(IDS_IN_CSV);
  return unknown.length > 0 ? EXIT.partial : decideEvidenceCode(options, deletions);
}

/** What was exported; `file` is undefined if it was printed. */
interface Exported {
  readonly hidden: HiddenRows;
  readonly file: WrittenFile | undefined;
  /** How old the evidence of deletions is; undefined for rows without tweets. */
  readonly deletions: EvidenceAge | undefined;
}

async function writeTable(request: ExportRequest, path: string): Promise<Exported> {
  const { hidden, deletions, ...file } = await writeTableFile({ ...request, path, command: formatCommandLine() });
  return { hidden, deletions, file };
}

async function printTable(request: ExportRequest): Promise<Exported> {
  const { snapshot, table, selection, format, pseudonyms, ...options } = request;
  const stored = readTable(snapshot, exportTables[table], selection);
  const result = pseudonyms ? pseudonymiseResult(table, stored, pseudonyms) : stored;
  await writeStream(getContext().streams.stdout, (sink) => format.write(result, sink, options));
  return {
    hidden: countHiddenRows(snapshot, exportTables[table], selection),
    deletions: exportTables[table].tweetId === undefined ? undefined : readDeletionEvidence(snapshot, selection),
    file: undefined,
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

/** The expected number of rows; undefined if counting them takes long. */
function countRows({ db }: Snapshot, table: TableName, selection: Selection): number | undefined {
  const { counted } = exportTables[table];
  const { accountRestIds, since, until, sample } = selection;
  if (counted === undefined || accountRestIds !== undefined || since !== undefined || until !== undefined)
    return undefined;
  const count = db.$client.prepare<[], number>(`select count(*) from ${counted}`).pluck().get()!;
  return Math.min(count, sample?.size ?? count);
}
