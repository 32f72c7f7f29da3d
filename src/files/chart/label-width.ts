import stringWidth from 'string-width';

/** Widths of letters of common sans-serif fonts, rounded up, in em. */
const WIDTHS: readonly (readonly [characters: RegExp, width: number])[] = [
  [/[ijl.,:;'|!I ]/, 0.31],
  [/[-frt()[\]/"°·]/, 0.42],
  [/[mwMW@%—…]/, 0.97],
  [/[A-Z&#+=<>~]/, 0.7],
  [/[\x20-\x7e]/, 0.6],
];
const DEFAULT_WIDTH = 0.68;
const WIDE_WIDTH = 1.1;

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

const listGraphemes = (text: string): string[] => Array.from(SEGMENTER.segment(text), ({ segment }) => segment);

/** Estimates the width of a text in pixels. Nothing here knows the font of the reader: estimates are rather too wide. */
export const estimateWidth = (text: string, fontSize: number): number =>
  listGraphemes(text).reduce((sum, grapheme) => sum + estimateEm(grapheme), 0) * fontSize;

function estimateEm(grapheme: string): number {
  const [, known] = WIDTHS.find(([characters]) => grapheme.length === 1 && characters.test(grapheme)) ?? [];
  if (known !== undefined) return known;
  const columns = stringWidth(grapheme);
  // Without a font for it, a joined emoji is drawn as its parts.
  const parts = grapheme.match(/\p{Extended_Pictographic}/gu)?.length ?? 1;
  return columns === 0 ? 0 : columns === 1 ? DEFAULT_WIDTH : parts * WIDE_WIDTH;
}

/** Returns the longest start of a text that fits a width in pixels, with an ellipsis if something is cut, between graphemes. */
export function ellipsise(text: string, width: number, fontSize: number): string {
  if (estimateWidth(text, fontSize) <= width) return text;
  let left = width - estimateWidth('…', fontSize);
  let start = '';
  for (const grapheme of listGraphemes(text)) {
    left -= estimateEm(grapheme) * fontSize;
    if (left < 0) break;
    start += grapheme;
  }
  return `${start.trimEnd()}…`;
}

/** Splits a text at spaces into lines of a width in pixels; the last of at most `maxLines` is cut. */
export function wrapText(text: string, width: number, fontSize: number, maxLines: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || (estimateWidth(longer, fontSize) > width && lines.length < maxLines)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => ellipsise(line, width, fontSize));
}

/** A longer run of marks over one letter would cover what is above it. */
const MAX_MARKS = 4;
const SURPLUS_MARKS = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, 'gu');

/** Characters without a form of their own that change the order of others; joiners and the tags of flags are kept. */
const FORMAT_CHARACTERS = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/gu;

/** Returns a text as one line that cannot change what is around it: no control characters, no direction marks, few marks. */
export const toLabel = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(FORMAT_CHARACTERS, '')
    .replaceAll(SURPLUS_MARKS, '$1')
    .trim();
