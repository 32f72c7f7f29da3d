import { cutExcerpt, type ExcerptCell } from '../../analysis/search/excerpt.ts';
import type { TextRange } from '../../search/folded-text.ts';
import type { Emphasis } from '../terminal/style.ts';

export interface ExcerptOptions {
  /** The columns of a line. */
  readonly width: number;
  /** The maximum of columns in total. */
  readonly maxWidth: number;
  /** Begins and ends a match. */
  readonly emphasis: Emphasis;
  /** The columns that the emphasis of one match takes. */
  readonly emphasisWidth: number;
}

/**
 * Formats a text with its matches as lines for a terminal. White space becomes a space, control and bidirectional characters
 * become visible. A long text is cut to the part around its first match.
 */
export function formatExcerpt(text: string, matches: readonly TextRange[], options: ExcerptOptions): string[] {
  const { width, maxWidth, emphasis, emphasisWidth } = options;
  const cells = cutExcerpt(text, matches, maxWidth);
  return wrapCells(cells, Math.max(width - emphasisWidth, 1), emphasisWidth).map((line) => joinCells(line, emphasis));
}

/** Breaks cells into lines, at spaces where there are some. */
function wrapCells(cells: readonly ExcerptCell[], width: number, emphasisWidth: number): (readonly ExcerptCell[])[] {
  const lines: (readonly ExcerptCell[])[] = [];
  let start = 0;
  let space = -1;
  let used = 0;
  for (const [i, cell] of cells.entries()) {
    if (cell.text === ' ') space = i;
    used += columnsAt(cells, i, emphasisWidth);
    if (used <= width || i === start) continue;
    const end = space > start ? space : i;
    lines.push(cells.slice(start, end));
    start = cells[end]!.text === ' ' ? end + 1 : end;
    space = -1;
    used = 0;
    for (let k = start; k <= i; k++) used += columnsAt(cells, k, emphasisWidth);
  }
  if (start < cells.length) lines.push(cells.slice(start));
  return lines;
}

/** The columns of a cell, with those of the emphasis that begins there. */
const columnsAt = (cells: readonly ExcerptCell[], i: number, emphasisWidth: number): number =>
  cells[i]!.columns + (cells[i]!.isMatch && !cells[i - 1]?.isMatch ? emphasisWidth : 0);

/** Joins the cells of a line, and emphasises each run of matching ones. */
function joinCells(cells: readonly ExcerptCell[], { open, close }: Emphasis): string {
  let line = '';
  let isOpen = false;
  for (const { text, isMatch } of cells) {
    if (isMatch !== isOpen) line += isMatch ? open : close;
    isOpen = isMatch;
    line += text;
  }
  return (isOpen ? line + close : line).trimEnd();
}
