import { type Cell, formatTable } from '#analysis/sql/format-table.ts';
import type { ResultSet } from '#files/export/result-set.ts';
import { convertRows, type Value } from './format-values.ts';
import type { FormatOptions } from './output-format.ts';

/** A table for people: cells are truncated, and fit the width of a terminal. */
export const formatAsTable = (result: ResultSet, { width }: FormatOptions = {}): Iterable<string> =>
  formatTable(
    result.columns.map(({ name }) => name),
    formatCells(result),
    { width },
  );

function* formatCells(result: ResultSet): Generator<Cell[]> {
  for (const row of convertRows(result)) yield row.map(toCell);
}

const toCell = (value: Value): Cell => ({
  text: Buffer.isBuffer(value) ? `<${value.length} bytes>` : value === null ? '' : String(value),
  isNumber: typeof value === 'bigint' || typeof value === 'number',
});
