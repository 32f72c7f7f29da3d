import { splitGraphemes, isNarrow, measureWidth } from '#analysis/sql/printable-text.ts';
import type { TextRange } from '#base/search-text.ts';
import { toPrintable } from '#base/text.ts';

/** A character as a reader sees it. */
export interface ExcerptCell {
  readonly text: string;
  readonly columns: number;
  readonly isMatch: boolean;
}

/** The characters of a text that are laid out, before and after its first match; UTF-16 code units. */
const BEFORE = 2000;
const AFTER = 6000;
/** The code points of a character with its marks. Emoji have at most eleven. */
const MAX_MARKS = 16;
/** The share of an excerpt that is before its first match. */
const LEAD = 1 / 4;
/** A word of at most this many characters is not cut at the ends of an excerpt. */
const MAX_WORD = 15;

/**
 * Splits a text with its matches into characters, at most so many columns around the first match. White space becomes a space,
 * control and bidirectional characters become visible.
 */
export const cutExcerpt = (text: string, matches: readonly TextRange[], maxWidth: number): readonly ExcerptCell[] =>
  cutAround(listCells(text, matches), maxWidth);

/** Splits the part of a text around its first match. */
function listCells(text: string, matches: readonly TextRange[]): ExcerptCell[] {
  const from = alignToCharacter(text, Math.max(0, (matches[0]?.start ?? 0) - BEFORE));
  const to = alignToCharacter(text, from + BEFORE + AFTER);
  const part = text.slice(from, to);
  const cells: ExcerptCell[] = from > 0 ? [ELLIPSIS] : [];
  let at = from;
  let next = 0;
  for (const segment of isNarrow(part) ? part : splitGraphemes(part)) {
    const start = at;
    at += segment.length;
    while (next < matches.length && matches[next]!.end <= start) next += 1;
    const isMatch = next < matches.length && matches[next]!.start < at;
    const shown = formatSegment(segment);
    if (shown === '' || (shown === ' ' && cells.at(-1)?.text === ' ')) continue;
    cells.push({ text: shown, columns: measureWidth(shown), isMatch });
  }
  return to < text.length ? [...cells, ELLIPSIS] : cells;
}

const ELLIPSIS: ExcerptCell = { text: '…', columns: 1, isMatch: false };

/** Returns a position that is not within a surrogate pair. */
const alignToCharacter = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at);

/** Marks of direction alone are harmless and invisible; they are left out. */
function formatSegment(segment: string): string {
  if (/^[\u061C\u200E\u200F]+$/.test(segment)) return '';
  const printable = toPrintable(segment);
  if (/^\s+$/u.test(printable)) return ' ';
  return printable.length <= MAX_MARKS ? printable : Array.from(printable).slice(0, MAX_MARKS).join('');
}

/** Cuts cells to the maximum of columns, with the first match in the first part, at spaces where there are some. */
function cutAround(cells: readonly ExcerptCell[], maxWidth: number): readonly ExcerptCell[] {
  if (sumColumns(cells) <= maxWidth) return cells;
  const match = Math.max(
    0,
    cells.findIndex(({ isMatch }) => isMatch),
  );
  let start = match;
  for (let lead = maxWidth * LEAD; start > 0 && lead >= cells[start - 1]!.columns; start -= 1)
    lead -= cells[start - 1]!.columns;
  let end = start;
  for (let rest = maxWidth - 2; end < cells.length && rest >= cells[end]!.columns; end += 1)
    rest -= cells[end]!.columns;
  // A short rest is shown from the end of the text.
  for (let rest = maxWidth - 2 - sumColumns(cells.slice(start, end)); end === cells.length && start > 0; start -= 1) {
    rest -= cells[start - 1]!.columns;
    if (rest < 0) break;
  }
  const [from, to] = [
    start === 0 ? 0 : skipToWord(cells, start, match),
    end === cells.length ? end : backToWord(cells, end, match),
  ];
  return [...(from > 0 ? [ELLIPSIS] : []), ...cells.slice(from, to), ...(to < cells.length ? [ELLIPSIS] : [])];
}

const sumColumns = (cells: readonly ExcerptCell[]): number => cells.reduce((sum, { columns }) => sum + columns, 0);

/** Returns the start of the first whole word from `start`, before `limit`; `start` if the word is long. */
function skipToWord(cells: readonly ExcerptCell[], start: number, limit: number): number {
  for (let i = start; i < Math.min(limit, start + MAX_WORD); i++) if (cells[i]!.text === ' ') return i + 1;
  return start;
}

/** Returns the end of the last whole word before `end`, after `limit`; `end` if the word is long. */
function backToWord(cells: readonly ExcerptCell[], end: number, limit: number): number {
  for (let i = end; i > Math.max(limit, end - MAX_WORD); i--) if (cells[i]!.text === ' ') return i;
  return end;
}
