import { foldText } from '../../base/text.ts';

/**
 * Scripts without spaces between words. The index treats a run of them as one word, so they are searched in the text.
 */
const UNSPACED =
  /(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Tavt}\p{scx=Java}\p{scx=Bali}]/u;
/** Letters and digits. The index has two Vedic letters as marks. */
const INDEXED = /(?![\u1CF2\u1CF3])[\p{L}\p{N}]/u;
/** Symbols and emoji, which are no words. Joiners count only between them. */
const SYMBOLS = /\p{S}(?:(?:\p{S}|\u200D|\uFE0F)*\p{S})?/gu;

/** A keyword or phrase, by how its parts are searched. A tweet has to match all parts. */
export interface SplitText {
  /** Text whose words are searched with the full-text index; undefined without an indexed character. */
  readonly phrase: string | undefined;
  /** Symbols, or a text that is not indexed, in any form that folds to the same (`foldText`). */
  readonly symbols: readonly string[];
}

/** Splits a keyword or phrase. Punctuation is ignored beside letters and digits; alone it is searched literally. */
export const splitSearchText = (text: string): SplitText =>
  UNSPACED.test(text) || !INDEXED.test(text)
    ? { phrase: undefined, symbols: [text] }
    : { phrase: text, symbols: text.match(SYMBOLS) ?? [] };

/** Whether a text without letters and digits folds to one with them (`™`). It is searched as it is. */
export const isLetterSign = (text: string): boolean => INDEXED.test(foldText(text)) && !INDEXED.test(text);
