import type { Writable } from 'node:stream';
import { openQuery } from '../../analysis/sql/query.ts';
import { formatOf } from '../formats/formats.ts';
import { toResultSet } from '../result-set.ts';
import { writeStream } from '../write-stream.ts';
import type { QueryRequest, QueryResult } from './query-request.ts';

interface RunQueryOptions {
  /** Receives the rows, unless they go to a file. */
  readonly out: Writable;
  /** Called with the number of rows so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
  /** Whether the file of the store may be mapped into memory. */
  readonly isMapped?: boolean | undefined;
}

/**
 * Runs a statement in this process, and writes its rows.
 * @throws UsageError for a wrong statement, TrawlError for a result that cannot be read or written
 */
export async function runQuery(request: QueryRequest, options: RunQueryOptions): Promise<QueryResult> {
  if (request.output) {
    const { writeQueryFile } = await import('./write-query-file.ts');
    return await writeQueryFile(request, request.output, options.onRows);
  }
  return await printRows(request, options);
}

async function printRows(
  { format, width, chart, ...statement }: QueryRequest,
  { out, onRows, isMapped }: RunQueryOptions,
): Promise<QueryResult> {
  using query = openQuery({ ...statement, isMapped });
  let rows = 0;
  await writeStream(out, async (sink) => {
    rows = await formatOf(format).write(toResultSet(query), sink, { width, chart, onRows });
  });
  return { rows };
}
