import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';
import type { SqlValue } from '../../analysis/sql/sql-query.ts';
import { UsageError } from '../../base/errors.ts';
import { describeStorageError } from '../../store/sqlite/database-errors.ts';
import { readCompleteness } from './completeness.ts';
import { FORMATS } from './formats/formats.ts';
import type { Format, FormatOptions } from './formats/output-format.ts';
import { readProvenance } from './provenance.ts';
import { pseudonymiseResult } from './pseudonyms/pseudonymise-result.ts';
import type { Pseudonyms } from './pseudonyms/pseudonyms.ts';
import type { ResultSet } from './result-set.ts';
import type { Selection, SelectionQuery } from './row-selection.ts';
import type { Snapshot } from './snapshot.ts';
import { buildTableQuery, countHiddenRows, type HiddenRows, readDeletionEvidence } from './table-query.ts';
import { exportTables, type TableName } from './tables/export-tables.ts';
import type { ExportTable } from './tables/table-definition.ts';
import { writeFile, type WrittenFile } from './write-file.ts';

/** The rows of an exported table, with the statement that reads them. They can be read several times. */
export interface TableRows extends ResultSet, SelectionQuery {}

/**
 * Prepares the selected rows of a table. @param pseudonyms replaces identities
 * @throws UsageError if the selection does not apply to the table
 */
export function readTable(
  snapshot: Snapshot,
  table: ExportTable,
  selection: Selection,
  pseudonyms?: Pseudonyms,
): TableRows {
  const stored = readStoredTable(snapshot, table, selection);
  return pseudonyms ? { ...stored, ...pseudonymiseResult(table.name, stored, pseudonyms) } : stored;
}

function readStoredTable({ db, path }: Snapshot, table: ExportTable, selection: Selection): TableRows {
  const { sql, parameters } = buildTableQuery(table, selection);
  const statement = db.$client.prepare<unknown[], readonly SqlValue[]>(sql).raw().bind(parameters);
  return {
    sql,
    parameters,
    columns: table.columns.map(({ name, type, description }) => ({
      name,
      type,
      description,
    })),
    rows: {
      *[Symbol.iterator]() {
        try {
          yield* statement.iterate();
        } catch (error) {
          throw describeStorageError(error, path) ?? error;
        }
      },
    },
  };
}

export interface TableFileRequest extends Pick<FormatOptions, 'onRows' | 'signal'> {
  readonly snapshot: Snapshot;
  readonly table: TableName;
  readonly selection: Selection;
  readonly path: string;
  readonly format: Format;
  /** The command line, without the API key. */
  readonly command: string;
  readonly pseudonyms?: Pseudonyms | undefined;
}

/** A written table. */
export interface TableFile extends WrittenFile {
  /** The selected rows of deleted tweets and unavailable accounts: left out, unless the selection includes them. */
  readonly hidden: HiddenRows;
  /** How old the evidence of deletions is; undefined if the rows are not about tweets. */
  readonly deletions: EvidenceAge | undefined;
}

/** Writes the selected rows of a table to a file, with its sidecar. @throws TrawlError, or the reason of the signal */
export async function writeTableFile(request: TableFileRequest): Promise<TableFile> {
  const { snapshot, selection, path, format, command, pseudonyms, onRows, signal } = request;
  if (format === FORMATS.svg) {
    throw new UsageError('a table is not drawn', { hint: 'Draw the rows of a statement: trawl sql "…" -o chart.svg.' });
  }
  const table = exportTables[request.table];
  const { sql, parameters, ...result } = readTable(snapshot, table, selection, pseudonyms);
  const hidden = countHiddenRows(snapshot, table, selection);
  const deletions = table.tweetId === undefined ? undefined : readDeletionEvidence(snapshot, selection);
  const completeness = readCompleteness(snapshot, selection, table.kinds);
  const origin = { ...readProvenance(snapshot, command), sql, parameters };
  const file = await writeFile({
    path,
    format,
    result,
    origin,
    pseudonyms,
    onRows,
    signal,
    describe: () => ({ excluded: selection.includeDeleted ? {} : { ...hidden }, deletions, completeness }),
  });
  return { ...file, hidden, deletions };
}
