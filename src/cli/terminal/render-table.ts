import { formatTable, type TableOptions } from '#analysis/sql/format-table.ts';
import { formatCount } from '#base/text.ts';
import { findContext } from '#cli/context.ts';

/** Truncates messages of a service. */
const WIDEST_CELL = 200;

/** Counts, shares and sizes, which are aligned to the right. */
const FIGURE = /^[<>+]? ?[\d,.]+( (%|[kMGT]?B))?$/;

/** The columns of the terminal on stdout; undefined for a file or a pipe. */
export function getTerminalWidth(): number | undefined {
  const stdout = findContext()?.streams.stdout;
  return stdout?.isTTY ? stdout.columns : undefined;
}

/** A table, by default no wider than the terminal. Numbers are formatted as counts; a cell without a value is empty. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
  options: TableOptions & { readonly right?: readonly number[] } = {},
): string {
  const cells = rows.map((row) =>
    row.map((value) => {
      const text = typeof value === 'number' ? formatCount(value) : (value ?? '');
      return { text, isNumber: FIGURE.test(text) };
    }),
  );
  const lines = formatTable(head, cells, { maxCellWidth: WIDEST_CELL, width: getTerminalWidth(), ...options });
  return [...lines].join('').trimEnd();
}
