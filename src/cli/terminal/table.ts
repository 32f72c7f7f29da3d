import { formatTable } from '../../analysis/sql/table.ts';
import { findContext } from '../context.ts';

/** Truncates messages of a service. */
const WIDEST_CELL = 200;

/** The columns of the terminal on stdout; undefined for a file or a pipe. */
export function getTerminalWidth(): number | undefined {
  const stdout = findContext()?.streams.stdout;
  return stdout?.isTTY ? stdout.columns : undefined;
}

/** A table of texts. The columns in `right` hold numbers; one that is `whole` may be wider than a terminal. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [], whole = false }: { right?: readonly number[]; whole?: boolean } = {},
): string {
  const cells = rows.map((row) => row.map((text, i) => ({ text, isNumber: right.includes(i) })));
  return [...formatTable(head, cells, { maxCellWidth: WIDEST_CELL, width: whole ? undefined : getTerminalWidth() })]
    .join('')
    .trimEnd();
}
