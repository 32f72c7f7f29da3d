import stringWidth from 'string-width';

/**
 * Rows for the eye: columns padded to one width, long cells cut, and nothing in a cell that a terminal would obey.
 * Widths come from the first rows, so that any number of rows can be shown while they are read.
 */

const MEASURED_ROWS = 200;
const WIDEST_CELL = 60;

/** Columns that a text takes on a terminal. Most texts are plain, and measuring them is slow. */
const widthOf = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : stringWidth(text));

export interface Cell {
  readonly text: string;
  readonly isNumber: boolean;
}

/** The lines of a table, each with its line end. */
export function* formatTable(
  columns: readonly string[],
  rows: Iterable<readonly Cell[]>,
  widest = WIDEST_CELL,
): Generator<string> {
  const header = columns.map((name) => toLine(name, widest));
  const first: string[][] = [];
  const isNumeric = columns.map(() => true);
  let widths: readonly number[] | undefined;
  const begin = function* (): Generator<string> {
    widths = header.map((name, i) => Math.max(...[name, ...first.map((row) => row[i]!)].map((cell) => widthOf(cell))));
    yield join(header, widths, isNumeric);
    yield join(
      widths.map((width) => '─'.repeat(width)),
      widths,
      isNumeric,
    );
    for (const row of first) yield join(row, widths, isNumeric);
  };
  for (const row of rows) {
    const cells = row.map((cell) => toLine(cell.text, widest));
    if (widths) {
      yield join(cells, widths, isNumeric);
      continue;
    }
    for (const [i, cell] of row.entries()) isNumeric[i] &&= cell.isNumber || cell.text === '';
    if (first.push(cells) === MEASURED_ROWS) yield* begin();
  }
  if (!widths) yield* begin();
}

function join(cells: readonly string[], widths: readonly number[], isNumeric: readonly boolean[]): string {
  const padded = cells.map((cell, i) => {
    const space = ' '.repeat(Math.max(0, widths[i]! - widthOf(cell)));
    return isNumeric[i] ? space + cell : cell + space;
  });
  return `${padded.join('  ').trimEnd()}\n`;
}

/** One line that a terminal shows as it stands, cut to the widest cell. */
function toLine(text: string, widest: number): string {
  if (text.length <= widest && /^[ -~]*$/.test(text)) return text;
  const line = printable(text.slice(0, 4 * widest));
  if (line.length === text.length && widthOf(line) <= widest) return line;
  let cut = '';
  let width = 0;
  for (const { segment } of graphemes.segment(line)) {
    width += widthOf(segment);
    if (width >= widest) return `${cut}…`;
    cut += segment;
  }
  return line.length < text.length ? `${cut}…` : cut;
}

const graphemes = new Intl.Segmenter();

/** Line breaks and tabs become spaces; other control characters and marks that turn the direction become visible. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, ' ')
    .replace(/\p{Cc}/gu, (control) => (control < ' ' ? String.fromCharCode(0x2400 + control.charCodeAt(0)) : '\ufffd'))
    .replace(/\p{Bidi_C}/gu, '\ufffd');
}
