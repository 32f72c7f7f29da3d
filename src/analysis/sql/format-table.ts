import { toLine, measureWidth } from './printable-text.ts';

/**
 * Formats rows as a table: padded columns, truncated cells, no control characters.
 * The widths come from the first rows, so that a table of any length can be streamed.
 */

const MEASURED_ROWS = 200;
const WIDEST_CELL = 60;

export interface Cell {
  readonly text: string;
  readonly isNumber: boolean;
}

export interface TableOptions {
  /** Longer cells are truncated. */
  readonly maxCellWidth?: number;
  /** The columns of the terminal, if there is one: texts are truncated until a line fits, numbers never are. */
  readonly width?: number | undefined;
}

/** Yields the lines of a table, each with its line end. */
export function* formatTable(
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
  { maxCellWidth = WIDEST_CELL, width = Infinity }: TableOptions = {},
): Generator<string> {
  const header = columns.map((name) => toLine(name, maxCellWidth));
  const first: string[][] = [];
  const isNumeric = columns.map(() => true);
  let layout: readonly Column[] | undefined;
  const begin = function* (): Generator<string> {
    const whole = header.map((name, i) =>
      Math.max(...[name, ...first.map((row) => row[i]!)].map((cell) => measureWidth(cell))),
    );
    const widths = fit(whole, isNumeric, width);
    layout = widths.map((each, i) => ({ width: each, isNumeric: isNumeric[i]!, isCut: each < whole[i]! }));
    yield join(header, layout);
    yield join(
      widths.map((each) => '─'.repeat(each)),
      layout,
    );
    for (const row of first) yield join(row, layout);
  };
  for (const row of rows) {
    const cells = row.map((cell) => toLine(cell.text, maxCellWidth));
    if (layout) {
      yield join(cells, layout);
      continue;
    }
    for (const [i, cell] of row.entries()) isNumeric[i] &&= cell.isNumber || cell.text === '';
    if (first.push(cells) === MEASURED_ROWS) yield* begin();
  }
  if (!layout) yield* begin();
}

interface Column {
  readonly width: number;
  readonly isNumeric: boolean;
  readonly isCut: boolean;
}

/** Narrows the widest text columns until a line fits. Returns the full widths if a column would become too narrow. */
function fit(whole: readonly number[], isNumeric: readonly boolean[], width: number): readonly number[] {
  const widths = [...whole];
  const tooLong = () => widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length) > width;
  while (tooLong()) {
    const widest = Math.max(...widths.filter((_, i) => !isNumeric[i]));
    if (widest <= NARROWEST) return whole;
    widths[widths.findLastIndex((each, i) => each === widest && !isNumeric[i])]! -= 1;
  }
  return widths;
}

const GAP = '  ';
const NARROWEST = 8;

function join(cells: readonly string[], layout: readonly Column[]): string {
  const padded = layout.map(({ width, isNumeric, isCut }, i) => {
    const cell = isCut ? toLine(cells[i]!, width) : cells[i]!;
    const space = ' '.repeat(Math.max(0, width - measureWidth(cell)));
    return isNumeric ? space + cell : cell + space;
  });
  return `${padded.join(GAP).trimEnd()}\n`;
}
