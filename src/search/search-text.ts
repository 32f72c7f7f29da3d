import { foldText } from '../text.ts';

/**
 * Scripts without spaces between words. The index treats a run of them as one word, so they are searched in the text.
 */
const UNSPACED =
  /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Tavt}\p{scx=Java}\p{scx=Bali}]/u;
const INDEXED = /[\p{L}\p{N}]/u;
/** Symbols and emoji, which the index ignores. Joiners count only between them. */
const SYMBOLS = /\p{S}(?:(?:\p{S}|\u200D|\uFE0F)*\p{S})?/gu;

/** A combining mark that the index treats as a separator (Devanagari, Tamil, vowelled Arabic and Hebrew). */
const COMBINING_MARK = /(?![\u0300-\u036F\uFE0E\uFE0F])\p{M}/u;
const EDGE_PUNCTUATION = /^\p{P}+|(?<![\p{P}\p{S}\uFE0F])[\p{P}\p{S}\uFE0F]+$/gu;

/** A keyword or phrase, by how its parts are searched. A tweet has to match all parts. */
export interface SplitText {
  /** For the full-text index; undefined without an indexed character. */
  readonly phrase: string | undefined;
  /** Symbols, or a text that is not indexed, in any form that folds to the same (`foldText`). */
  readonly symbols: readonly string[];
  /** Words with marks that the index does not have, in any form that folds to the same. */
  readonly markedWords: readonly string[];
}

/** Splits a keyword or phrase. Punctuation is ignored beside letters and digits; alone it is searched literally. */
export function splitSearchText(text: string): SplitText {
  if (UNSPACED.test(text) || !INDEXED.test(text)) return { phrase: undefined, symbols: [text], markedWords: [] };
  const wordsWithMarks = text.split(/\s+/u).filter((word) => COMBINING_MARK.test(word));
  return {
    phrase: text.replaceAll(SYMBOLS, ' '),
    symbols: text.match(SYMBOLS) ?? [],
    markedWords: wordsWithMarks.map((word) => word.replaceAll(EDGE_PUNCTUATION, '')),
  };
}

/** Returns the folded words of a phrase, at least as many as the index has tokens. */
export const foldedWords = (phrase: string): readonly string[] =>
  (phrase.match(/[\p{L}\p{N}\p{Co}\u0300-\u036F]+/gu) ?? []).map(foldText).filter((word) => word !== '');

/** The accents that the index keeps within a word (FTS5's `unicode61`); it separates words at the others. */
const INDEXED_ACCENTS =
  '\\u0300-\\u0304\\u0306-\\u030C\\u030F\\u0311\\u031B\\u0323-\\u0328\\u032D\\u032E\\u0330\\u0331';
const INDEX_WORD = new RegExp(`[\\p{L}\\p{N}\\p{Co}][\\p{L}\\p{N}\\p{Co}${INDEXED_ACCENTS}]*`, 'gu');

/** A word of a text, with its place in UTF-16 code units. */
export interface LocatedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** Lists the words of a text as the index separates them, folded. A character that folds to several words is all of them. */
export const listIndexWords = (text: string): LocatedWord[] =>
  Array.from(text.matchAll(INDEX_WORD)).flatMap(({ 0: part, index }) =>
    splitIndexWords(foldText(part)).map((word) => ({ word, start: index, end: index + part.length })),
  );

/** Splits a text where the index does. */
export const splitIndexWords = (text: string): readonly string[] => text.match(INDEX_WORD) ?? [];

/** Whether a text without letters and digits folds to one with them (`™`). It is searched as it is. */
export const isLetterSign = (text: string): boolean => INDEXED.test(foldText(text)) && !INDEXED.test(text);
