import { isNarrow, measureWidth } from './text-width.ts';

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

/** Replaces line breaks and tabs by spaces, and other control and bidirectional characters by visible ones. */
export function toPrintable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n|[\t\n\v\f\r\u0085\u2028\u2029]/g, ' ')
    .replace(/\p{Cc}/gu, (control) => (control < ' ' ? String.fromCharCode(0x2400 + control.charCodeAt(0)) : '\ufffd'))
    .replace(/\p{Bidi_C}/gu, '\ufffd');
}
