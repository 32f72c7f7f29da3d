import { formatTable, type TableOptions } from '../../analysis/sql/table.ts';
import { findContext } from '../context.ts';

/** Truncates messages of a service. */
const WIDEST_CELL = 200;

/** The columns of the terminal on stdout; undefined for a file or a pipe. */
export function getTerminalWidth(): number | undefined {
  const stdout = findContext()?.streams.stdout;
  return stdout?.isTTY ? stdout.columns : undefined;
}

/** A table of texts, by default no wider than the terminal. The columns in `right` hold numbers. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: TableOptions & { readonly right?: readonly number[] } = {},
): string {
  const { right = [], ...layout } = options;
  const cells = rows.map((row) => row.map((text, i) => ({ text, isNumber: right.includes(i) })));
  const lines = formatTable(head, cells, { maxCellWidth: WIDEST_CELL, width: getTerminalWidth(), ...layout });
  return [...lines].join('').trimEnd();
}
