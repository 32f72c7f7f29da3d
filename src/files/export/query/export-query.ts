import type { Writable } from 'node:stream';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { UsageError } from '#base/errors.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';
import { type ResultSet, toResultSet } from '#files/export/result-set.ts';
import { writeStream } from '#files/export/write-stream.ts';
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
  if (request.pseudonyms && formatOf(request.format) === FORMATS.svg) {
    throw new UsageError('a chart has no pseudonyms: its titles and labels name people', {
      hint: 'Write the rows with --pseudonymise, such as to a .csv, and draw them.',
    });
  }
  if (request.output) {
    const { writeQueryFile } = await import('./write-query-file.ts');
    return await writeQueryFile(request, request.output, options.onRows);
  }
  return await printRows(request, options);
}

async function printRows(request: QueryRequest, { out, onRows, isMapped }: RunQueryOptions): Promise<QueryResult> {
  const { format, width, chart, chartWidth, pseudonyms, ...statement } = request;
  const print = async (result: ResultSet): Promise<QueryResult> => {
    let rows = 0;
    await writeStream(out, async (sink) => {
      rows = await formatOf(format).write(result, sink, { width, chart, chartWidth, onRows });
    });
    return { rows };
  };
  if (pseudonyms) {
    const { usePseudonymisedRows } = await import('./pseudonymised-rows.ts');
    return await usePseudonymisedRows(request, pseudonyms, ({ result }) => print(result));
  }
  using query = openQuery({ ...statement, isMapped });
  return await print(toResultSet(query));
}
