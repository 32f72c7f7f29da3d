import { toPrintable } from '../../base/text.ts';
import { isNarrow, measureWidth } from './terminal-width.ts';

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
