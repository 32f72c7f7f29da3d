import { foldText } from '../../text.ts';

/** How the text of a keyword or a phrase is sought: by the full-text index, in the tweets' text itself, or both. */
export interface TextMatch {
  /** Letters and digits, in their order, for the index; undefined when it knows none of them. */
  readonly phrase: string | undefined;
  /** What the text itself has to hold, in any form that folds to the same (`foldText`). */
  readonly literals: readonly string[];
}

/** Scripts without spaces between words. The index takes a whole run of them for one word, so they are sought as text. */
const UNSPACED =
  /(?=\p{L})[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Tavt}\p{scx=Java}\p{scx=Bali}]/u;
const INDEXED = /[\p{L}\p{N}]/u;
/** Emoji and other symbols, which the index leaves out. Joiners and the like count only between them. */
const SYMBOLS = /\p{S}(?:(?:\p{S}|\u200D|\uFE0F)*\p{S})?/gu;

/** A sign on a letter that the index takes for a gap (Devanagari, Tamil, vowelled Arabic and Hebrew). */
const COMBINING_MARK = /(?![\u0300-\u036F\uFE0E\uFE0F])\p{M}/u;
const EDGE_PUNCTUATION = /^\p{P}+|(?<![\p{P}\p{S}\uFE0F])[\p{P}\p{S}\uFE0F]+$/gu;

/** Punctuation beside letters or digits is not looked at; alone it is sought as it is. */
export function splitSearchText(text: string): TextMatch {
  if (UNSPACED.test(text) || !INDEXED.test(text)) return { phrase: undefined, literals: [text] };
  const wordsWithMarks = text.split(/\s+/u).filter((word) => COMBINING_MARK.test(word));
  return {
    phrase: text.replaceAll(SYMBOLS, ' '),
    literals: [...(text.match(SYMBOLS) ?? []), ...wordsWithMarks.map((word) => word.replaceAll(EDGE_PUNCTUATION, ''))],
  };
}

/** The folded words of a phrase as the index counts them, or somewhat more of them. */
export const foldedWords = (phrase: string): readonly string[] =>
  (phrase.match(/[\p{L}\p{N}\p{Co}\u0300-\u036F]+/gu) ?? []).map(foldText).filter((word) => word !== '');
