import { FORMATS } from '../formats/formats.ts';
import type { Provenance } from '../sidecar.ts';
import { writeFile } from '../write-file.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import type { DatasetRequest } from './dataset-request.ts';
import { DATASET_TABLES, type DatasetTable, readDatasetTable } from './dataset-tables.ts';
import type { OutputFolder } from './output-folder.ts';
import type { DatasetFile } from './written-file.ts';

export interface TablesRequest extends Pick<
  DatasetRequest,
  'snapshot' | 'selection' | 'pseudonyms' | 'signal' | 'onProgress'
> {
  readonly provenance: Provenance;
  readonly format: DatasetFormat;
  readonly folder: OutputFolder;
}

/** Writes the tables of a dataset, one after the other. @throws TrawlError, or the reason of the signal */
export async function writeTables(request: TablesRequest): Promise<DatasetFile[]> {
  const written: DatasetFile[] = [];
  for (const table of DATASET_TABLES) written.push(await writeTable(table, request));
  return written;
}

async function writeTable(table: DatasetTable, request: TablesRequest): Promise<DatasetFile> {
  const { name, title, isCoverage, primaryKey, foreignKeys = [] } = table;
  const { snapshot, provenance, selection, folder, pseudonyms, signal, onProgress } = request;
  const format = isCoverage ? 'csv' : request.format;
  const file = isCoverage ? `${name}.csv` : `data/${name}.${format}`;
  const { sql, parameters, ...result } = readDatasetTable(snapshot, table, selection, pseudonyms);
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
    title,
    file,
    format,
    mediaType: FORMATS[format].mediaType,
    rows,
    bytes,
    sha256,
    table: {
      columns: result.columns,
      primaryKey,
      foreignKeys,
      query: pseudonyms ? undefined : { sql, parameters },
    },
  };
}
