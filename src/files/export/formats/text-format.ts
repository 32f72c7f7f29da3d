import type { ResultSet } from '#files/export/result-set.ts';
import type { FormatOptions, Sink } from './output-format.ts';

/** Formats rows as pieces of text. Rows are read as the pieces are consumed. */
export type TextFormatter = (result: ResultSet, options: FormatOptions) => Iterable<string>;

/** Rows between two reports of progress. */
const REPORTED_ROWS = 10_000;

/** A write per row would cost more than the row. */
const CHUNK_LENGTH = 64 * 1024;

/** Writes a text format in chunks, and returns the number of rows. */
export async function writeText(
  format: TextFormatter,
  { columns, rows }: ResultSet,
  sink: Sink,
  options: FormatOptions = {},
): Promise<number> {
  let count = 0;
  const counted = reportRows(rows, (read) => {
    count = read;
    if (read % REPORTED_ROWS === 0) options.onRows?.(read);
  });
  for (const chunk of joinPieces(format({ columns, rows: counted }, options))) {
    options.signal?.throwIfAborted();
    await sink.write(chunk);
  }
  return count;
}

/** Calls `onRow` with the number of rows so far, after each row. */
export function* reportRows<T>(rows: Iterable<T>, onRow: (count: number) => void): Generator<T> {
  let count = 0;
  for (const row of rows) {
    yield row;
    onRow((count += 1));
  }
}

/** Joins pieces of text to chunks of at least 64 KB of text. */
export function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk) yield chunk;
}
