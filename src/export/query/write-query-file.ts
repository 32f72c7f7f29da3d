import { basename } from 'node:path';
import { prepareQuery } from '../../analysis/sql/query.ts';
import { readCompleteness } from '../completeness.ts';
import { formatOf } from '../formats/formats.ts';
import { readProvenance } from '../provenance.ts';
import { toResultSet } from '../result-set.ts';
import { openSnapshot } from '../snapshot.ts';
import { writeFile } from '../write-file.ts';
import type { OutputRequest, QueryRequest, QueryResult } from './query-request.ts';

/**
 * Writes the rows of a statement to a file with a sidecar, from one snapshot. Which lists a statement reads is unknown: the
 * sidecar has the completeness of all.
 */
export async function writeQueryFile(
  { db, sql, parameters, format: formatName, chart }: QueryRequest,
  { path, command, query: savedQuery, excluded }: OutputRequest,
  onRows?: (rows: number) => void,
): Promise<QueryResult> {
  using snapshot = openSnapshot(db);
  using query = prepareQuery(snapshot.db, { sql, parameters });
  const format = formatOf(formatName);
  const result = toResultSet(query);
  const origin = { ...readProvenance(snapshot, command), query: savedQuery, sql, parameters };
  const file = await writeFile({
    ...{ path, format, result, chart, origin, onRows },
    describe: ({ rows, bytes, sha256 }) => ({
      ...origin,
      ...{ name: basename(path), mediaType: format.mediaType, rows, bytes, sha256 },
      ...{ columns: result.columns, chart, excluded: excluded ?? {} },
      completeness: readCompleteness(snapshot, { includeDeleted: excluded === undefined }),
    }),
  });
  return { rows: file.rows, file };
}
