import { prepareQuery } from '#analysis/sql/sql-query.ts';
import { formatOf } from '#files/export/formats/formats.ts';
import type { Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';
import { readProvenance } from '#files/export/sidecar.ts';
import { openSnapshot, type Snapshot } from '#files/export/snapshot.ts';
import { readCompleteness } from '#files/export/table-file.ts';
import { writeFile } from '#files/export/write-file.ts';
import { usePseudonymisedRows } from './pseudonymised-rows.ts';
import type { OutputRequest, QueryRequest, QueryResult } from './query-request.ts';

/**
 * Writes the rows of a statement to a file with a sidecar, from one snapshot. Which lists a statement reads is unknown: the
 * sidecar has the completeness of all.
 */
export async function writeQueryFile(
  request: QueryRequest,
  output: OutputRequest,
  onRows?: (rows: number) => void,
): Promise<QueryResult> {
  const write = (rows: RowsToWrite) => writeRows(rows, request, output, onRows);
  if (request.pseudonyms) return await usePseudonymisedRows(request, request.pseudonyms, write);
  using snapshot = openSnapshot(request.db);
  using query = prepareQuery(snapshot.db, request);
  return await write({ snapshot, result: toResultSet(query) });
}

interface RowsToWrite {
  readonly result: ResultSet;
  readonly snapshot: Snapshot;
  readonly pseudonyms?: Pseudonyms;
}

async function writeRows(
  { result, snapshot, pseudonyms }: RowsToWrite,
  { sql, parameters, format: formatName, chart }: QueryRequest,
  { path, command, query, excluded, maxBytes }: OutputRequest,
  onRows?: (rows: number) => void,
): Promise<QueryResult> {
  const file = await writeFile({
    path,
    format: formatOf(formatName),
    result,
    chart,
    origin: { ...readProvenance(snapshot, command), query, sql, parameters },
    pseudonyms,
    onRows,
    maxBytes,
    describe: () => ({
      excluded: excluded ?? {},
      completeness: readCompleteness(snapshot, { includeDeleted: excluded === undefined }),
    }),
  });
  return { rows: file.rows, file };
}
