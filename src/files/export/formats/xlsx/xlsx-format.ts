import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { SqlValue } from '../../../../analysis/sql/sql-query.ts';
import { measureWidth } from '../../../../analysis/sql/terminal-width.ts';
import { UsageError } from '../../../../base/errors.ts';
import { formatCount } from '../../../../base/text.ts';
import type { ResultColumn, ResultSet } from '../../result-set.ts';
import { convertRows, createRowConverter, toText, type Value } from '../format-values.ts';
import type { FormatOptions, Sink } from '../output-format.ts';
import { joinPieces, reportRows } from '../text-format.ts';
import { formatWorksheet, PARTS, WORKSHEET_PATH } from './worksheet.ts';
import { MAX_CELL_LENGTH, MAX_ROWS } from './xlsx-limits.ts';

/** The widths of columns come from the first rows, and have limits. */
const MEASURED_ROWS = 200;
const NARROWEST = 8;
const WIDEST = 60;

/** Equal rows make equal files. The level of compression: decision 48. */
const ENTRY = { mtime: new Date(2000, 0, 1), compressionLevel: 3 };

const OTHER_FORMATS = 'csv, jsonl, json and parquet have no such limit.';

/**
 * Writes an xlsx workbook with one worksheet. @throws UsageError for too many rows, or for a text that is too long for a
 * cell: the file is then incomplete
 */
export async function writeXlsx(result: ResultSet, sink: Sink, options: FormatOptions = {}): Promise<number> {
  const { onRows, signal } = options;
  const { columns } = result;
  let count = 0;
  const rows = reportRows(readFittingRows(result), (written) => {
    count = written;
    if (written % 10_000 === 0) onRows?.(written);
  });
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(text), path, ENTRY);
  // A sheet needs rows, and a zip file a source: a generator is both, and is closed with the source.
  const sheet = Readable.from(encodeChunks(formatWorksheet({ columns, widths: measureColumns(result), rows })), {
    highWaterMark: 1,
  });
  sheet.once('error', (error) => (zip.outputStream as Readable).destroy(error));
  zip.addReadStream(sheet, WORKSHEET_PATH, ENTRY);
  zip.end();
  try {
    for await (const chunk of zip.outputStream as Readable) {
      signal?.throwIfAborted();
      await sink.write(chunk as Buffer);
    }
  } finally {
    sheet.destroy();
  }
  return count;
}

/** Converts the rows. @throws UsageError at the first row that does not fit */
function* readFittingRows({ columns, rows }: ResultSet): Generator<readonly Value[]> {
  const convert = createRowConverter(columns);
  let count = 0;
  for (const row of rows) {
    assertFits(columns, row, (count += 1));
    yield convert(row);
  }
}

/** Returns the widths of columns by their first rows. */
function measureColumns(result: ResultSet): number[] {
  const widths = result.columns.map(({ name }) => measureCell(name));
  let count = 0;
  for (const row of convertRows(result)) {
    if ((count += 1) > MEASURED_ROWS) break;
    for (const [i, value] of row.entries()) widths[i] = Math.max(widths[i]!, measureCell(toText(value)));
  }
  return widths;
}

function* encodeChunks(pieces: Iterable<string>): Generator<Buffer> {
  for (const chunk of joinPieces(pieces)) yield Buffer.from(chunk);
}

/** Returns the width of a column that shows a text, in characters. */
const measureCell = (text: string): number =>
  Math.min(WIDEST, Math.max(NARROWEST, measureWidth(text.slice(0, WIDEST)) + 2));

function assertFits(columns: readonly ResultColumn[], row: readonly SqlValue[], count: number): void {
  if (count > MAX_ROWS) {
    throw new UsageError(`xlsx holds at most ${formatCount(MAX_ROWS)} rows, and the result has more`, {
      hint: OTHER_FORMATS,
    });
  }
  for (const [i, value] of row.entries()) {
    const length = Buffer.isBuffer(value) ? 2 * value.length + 3 : typeof value === 'string' ? value.length : 0;
    if (length <= MAX_CELL_LENGTH) continue;
    throw new UsageError(
      `a cell of xlsx holds at most ${formatCount(MAX_CELL_LENGTH)} characters, and "${columns[i]!.name}" of row ${count} has ${formatCount(length)}`,
      { hint: OTHER_FORMATS },
    );
  }
}
