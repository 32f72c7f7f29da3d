import { foldText } from '../../text.ts';

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

/**
 * Splits a keyword or phrase into a phrase for the full-text index, undefined without an indexed character, and literals
 * that a tweet has to contain, in any form that folds to the same (`foldText`). Punctuation is ignored beside letters and
 * digits; alone it is searched literally.
 */
export function splitSearchText(text: string) {
  if (UNSPACED.test(text) || !INDEXED.test(text)) return { phrase: undefined, literals: [text] };
  const wordsWithMarks = text.split(/\s+/u).filter((word) => COMBINING_MARK.test(word));
  return {
    phrase: text.replaceAll(SYMBOLS, ' '),
    literals: [...(text.match(SYMBOLS) ?? []), ...wordsWithMarks.map((word) => word.replaceAll(EDGE_PUNCTUATION, ''))],
  };
}

/** Returns the folded words of a phrase, at least as many as the index has tokens. */
export const foldedWords = (phrase: string): readonly string[] =>
  (phrase.match(/[\p{L}\p{N}\p{Co}\u0300-\u036F]+/gu) ?? []).map(foldText).filter((word) => word !== '');
