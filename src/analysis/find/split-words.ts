import { foldText } from '../../base/text.ts';
import type { TextRange } from './folded-text.ts';

/** A word: letters and digits with their marks. Variation selectors and enclosing marks (`1️⃣`) are no part of it. */
const WORD = /[\p{L}\p{N}\p{Co}](?:[\p{L}\p{N}\p{Co}]|(?!\p{VS})[\p{Mn}\p{Mc}])*/gu;

/** A word of a text, folded (`foldText`), with its place in UTF-16 code units. */
export interface LocatedWord extends TextRange {
  readonly folded: string;
}

/** Lists the words of a text. */
export const listWords = (text: string): LocatedWord[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    folded: foldWord(word),
    start: index,
    end: index + word.length,
  }));

/** Returns the words of a folded text: more than one for a character that stands for several (`½`, `ﷺ`). */
export const splitWords = (folded: string): readonly string[] => folded.match(WORD) ?? [];

/** Finds the words of a phrase next to each other, in this order. */
export interface PhraseFinder {
  /** Whether all letters are their own tokens of the index: none has marks or stands for several words. */
  readonly isPlain: boolean;
  isIn(text: string): boolean;
  /** Lists the places in a text, in order. They may overlap. */
  locate(text: string): TextRange[];
}

export function createPhraseFinder(phrase: string): PhraseFinder {
  const sought = listWords(phrase).map(({ folded }) => ({ folded, parts: splitWords(folded) }));
  /** Returns the number of words up to the end of the phrase that begins with the word `first`; undefined if none does. */
  function matchAt(foldedAt: (at: number) => string | undefined, first: number): number | undefined {
    let at = first;
    for (const { folded, parts } of sought) {
      if (foldedAt(at) === folded) at += 1;
      else if (parts.length > 1 && parts.every((part, i) => foldedAt(at + i) === part)) at += parts.length;
      else return undefined;
    }
    return at;
  }
  return {
    isPlain: !mayHaveMarks(sought.map(({ folded }) => folded.normalize('NFD')).join(' ')),
    isIn(text) {
      const words = text.match(WORD) ?? [];
      const foldedAt = (at: number) => (at < words.length ? foldWord(words[at]!) : undefined);
      return sought.length > 0 && words.some((_, first) => matchAt(foldedAt, first) !== undefined);
    },
    locate(text) {
      const words = listWords(text);
      return words.flatMap(({ start }, first) => {
        const after = matchAt((at) => words[at]?.folded, first);
        return after === undefined || after === first ? [] : [{ start, end: words[after - 1]!.end }];
      });
    },
  };
}

/** The code units of all marks but variation selectors, and of some other characters. Much faster than `\p{M}`. */
const MARKS =
  // oxlint-disable-next-line no-misleading-character-class -- ranges of code units
  /[\u0300-\u036F\u0483-\u0489\u0590-\u1DFF\u20D0-\u20FF\u2CEF-\u2DFF\u302A-\u309A\uA66F-\uABEF\uD800-\uD83B\uDB40\uFB1E\uFE20-\uFE2F]/;

/** Whether a text may have marks of words. */
export const mayHaveMarks = (text: string): boolean => MARKS.test(text);

const foldedWords = new Map<string, string>();
/** Texts have few different words. */
const MAX_CACHED = 50_000;

function foldWord(word: string): string {
  if (IS_ASCII.test(word)) return word.toLowerCase();
  const known = foldedWords.get(word);
  if (known !== undefined) return known;
  const folded = foldText(word);
  if (foldedWords.size < MAX_CACHED) foldedWords.set(word, folded);
  return folded;
}

const IS_ASCII = /^[\0-\x7F]*$/;
