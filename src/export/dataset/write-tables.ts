import { FORMATS } from '../formats/formats.ts';
import type { WrittenBytes } from '../output-file.ts';
import { pseudonymiseResult } from '../pseudonyms/pseudonymise-result.ts';
import type { Pseudonyms } from '../pseudonyms/pseudonyms.ts';
import type { ResultColumn } from '../result-set.ts';
import type { Selection, SelectionQuery } from '../selection.ts';
import type { Provenance } from '../sidecar.ts';
import type { Snapshot } from '../snapshot.ts';
import { readTable } from '../table-file.ts';
import { writeFile } from '../write-file.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import { DATASET_TABLES, type DatasetTable, type ForeignKey, selectFor } from './dataset-tables.ts';
import type { OutputFolder } from './output-folder.ts';

/** A table of a dataset in its file. */
export interface WrittenTable extends WrittenBytes, SelectionQuery, Pick<DatasetTable, 'name'> {
  readonly title: string;
  /** The path of the file in the folder. */
  readonly file: string;
  readonly format: DatasetFormat;
  readonly mediaType: string;
  readonly rows: number;
  readonly columns: readonly ResultColumn[];
  readonly primaryKey: DatasetTable['primaryKey'] | undefined;
  readonly labelColumn: string | undefined;
  /** Those that hold for the written rows. */
  readonly foreignKeys: readonly ForeignKey[];
}

export interface TableProgress {
  readonly table: string;
  /** The number of rows of the table so far. */
  readonly rows: number;
}

export interface TablesRequest {
  readonly snapshot: Snapshot;
  readonly provenance: Provenance;
  readonly selection: Selection;
  readonly format: DatasetFormat;
  readonly folder: OutputFolder;
  /** Whether no account is left out, so that every stored account is in `users`. */
  readonly hasAllAccounts: boolean;
  readonly pseudonyms?: Pseudonyms | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TableProgress) => void) | undefined;
}

/** Writes the tables of a dataset, one after the other. @throws TrawlError, or the reason of the signal */
export async function writeTables(request: TablesRequest): Promise<WrittenTable[]> {
  const written: WrittenTable[] = [];
  for (const table of DATASET_TABLES) written.push(await writeTable(table, request));
  return written;
}

async function writeTable(dataset: DatasetTable, request: TablesRequest): Promise<WrittenTable> {
  const { name, group, primaryKey, foreignKeys = [], wholeForeignKeys = [] } = dataset;
  const { snapshot, provenance, selection, folder, hasAllAccounts, pseudonyms, signal, onProgress } = request;
  const format = group === 'coverage' ? 'csv' : request.format;
  const file = group === 'coverage' ? `${name}.csv` : `data/${name}.${format}`;
  const { sql, parameters, ...stored } = readTable(snapshot, dataset.table, selectFor(dataset, selection));
  const result = pseudonyms ? pseudonymiseResult(name, stored, pseudonyms) : stored;
  // The names of communities and lists may be left out.
  const labelColumn = result.columns.find((column) => column.name === dataset.labelColumn)?.name;
  onProgress?.({ table: name, rows: 0 });
  const { rows, bytes, sha256 } = await writeFile({
    path: folder.path(file),
    format: FORMATS[format],
    result,
    signal,
    origin: {
      ...provenance,
      sql,
      parameters,
    },
    pseudonyms,
    onRows: (count) =>
      onProgress?.({
        table: name,
        rows: count,
      }),
  });
  return {
    name,
    title: dataset.table.title,
    file,
    format,
    mediaType: FORMATS[format].mediaType,
    rows,
    bytes,
    sha256,
    columns: result.columns,
    sql,
    parameters,
    primaryKey,
    labelColumn,
    foreignKeys: hasAllAccounts ? [...foreignKeys, ...wholeForeignKeys] : foreignKeys,
  };
}
