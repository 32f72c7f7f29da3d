import type * as StringWidth from 'string-width';
import { toPrintable } from '#base/text.ts';

/** One line without control characters, truncated to the maximum width. */
export function toLine(text: string, widest: number): string {
  if (text.length <= widest && isNarrow(text)) return text;
  const line = toPrintable(text.slice(0, 4 * widest));
  if (line.length === text.length && measureWidth(line) <= widest) return line;
  let cut = '';
  let width = 0;
  for (const segment of isNarrow(line) ? line : splitGraphemes(line)) {
    width += measureWidth(segment);
    if (width >= widest) return `${cut}…`;
    cut += segment;
  }
  return line.length < text.length ? `${cut}…` : cut;
}

let graphemes: Intl.Segmenter | undefined;

/** Yields the characters that a reader sees: Intl loads its rules at the first use. */
export function* splitGraphemes(text: string): Generator<string> {
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) yield segment;
}

/** Characters of one column each, alone or together: ASCII, Latin, Greek, Cyrillic, punctuation and lines of tables. */
const NARROW = /^[ -~¡-¬®-ʯΑ-ωА-я–—‘’“”•…─-▟]*$/;

/** Whether all characters of a text are printable and one column wide. */
export const isNarrow = (text: string): boolean => NARROW.test(text);

/** Returns the columns that a text takes on a terminal. */
export const measureWidth = (text: string): number => (isNarrow(text) ? text.length : measureWide(text));

/**
 * Measures any text. The package is loaded at its first use, since it compiles expressions for all emoji, which takes as
 * long as the rest of a short command.
 */
const measureWide = (text: string): number => (require('string-width') as typeof StringWidth).default(text);
