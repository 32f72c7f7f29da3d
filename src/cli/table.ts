import { formatTable } from '../analysis/table.ts';

/** Our own words fit; what a service said is cut somewhere. */
const WIDEST_CELL = 200;

/** A table of texts. The columns in `right` hold numbers. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { right = [] }: { right?: readonly number[] } = {},
): string {
  const cells = rows.map((row) => row.map((text, i) => ({ text, isNumber: right.includes(i) })));
  return [...formatTable(head, cells, WIDEST_CELL)].join('').trimEnd();
}
