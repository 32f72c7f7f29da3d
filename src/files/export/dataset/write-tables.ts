import { FORMATS } from '../formats/formats.ts';
import { pseudonymiseResult } from '../pseudonyms/pseudonymise-result.ts';
import type { Provenance } from '../sidecar.ts';
import { readTable } from '../table-file.ts';
import { writeFile } from '../write-file.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { DATASET_TABLES, type DatasetTable, selectFor } from './dataset-tables.ts';
import type { OutputFolder } from './output-folder.ts';
import type { DatasetFile } from './written-file.ts';

export interface TablesRequest extends Pick<
  DatasetRequest,
  'snapshot' | 'selection' | 'pseudonyms' | 'signal' | 'onProgress'
> {
  readonly provenance: Provenance;
  readonly format: DatasetFormat;
  readonly folder: OutputFolder;
  /** Whether no account is left out, so that every stored account is in `users`. */
  readonly hasAllAccounts: boolean;
}

/** Writes the tables of a dataset, one after the other. @throws TrawlError, or the reason of the signal */
export async function writeTables(request: TablesRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const table of DATASET_TABLES) written.push(await writeTable(table, request));
  return written;
}

async function writeTable(dataset: DatasetTable, request: TablesRequest): Promise<DatasetFile> {
  const { name, table, group, primaryKey, foreignKeys = [], wholeForeignKeys = [] } = dataset;
  const { snapshot, provenance, selection, folder, hasAllAccounts, pseudonyms, signal, onProgress } = request;
  const format = group === 'coverage' ? 'csv' : request.format;
  const file = group === 'coverage' ? `${name}.csv` : `data/${name}.${format}`;
  const { sql, parameters, ...stored } = readTable(snapshot, table, selectFor(dataset, selection));
  const result = pseudonyms ? pseudonymiseResult(name, stored, pseudonyms) : stored;
  onProgress?.({ table: name, rows: 0 });
  const { rows, bytes, sha256 } = await writeFile({
    path: folder.path(file),
    format: FORMATS[format],
    result,
    signal,
    origin: { ...provenance, sql, parameters },
    pseudonyms,
    onRows: (count) => onProgress?.({ table: name, rows: count }),
  });
  return {
    name,
    title: table.title,
    file,
    format,
    mediaType: FORMATS[format].mediaType,
    rows,
    bytes,
    sha256,
    table: {
      columns: result.columns,
      primaryKey,
      foreignKeys: hasAllAccounts ? [...foreignKeys, ...wholeForeignKeys] : foreignKeys,
      query: pseudonyms ? undefined : { sql, parameters },
    },
  };
}
