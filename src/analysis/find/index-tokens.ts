import { foldText } from '#base/text.ts';
import type { TextRange } from './folded-text.ts';

/**
 * How the full-text index (FTS5's `unicode61`) has words: as tokens, in lower case and without accents. Marks separate
 * tokens, and symbols later than its Unicode of 2012 are part of them. So a match of tokens is a candidate for a match of words.
 */

/** A letter or a digit. Two Vedic letters separate tokens. */
const LETTER = '(?![\\u1CF2\\u1CF3])[\\p{L}\\p{N}\\p{Co}]';
const IS_LETTER = new RegExp(`^${LETTER}`, 'u');
const HAS_LETTER = new RegExp(LETTER, 'u');

/** Marks that the index has within a letter if the text does: that of `ड़`, written as one character. */
const JOINED_MARK =
  /[\u05B4\u05B7-\u05B9\u05BC\u05BF\u05C1\u05C2\u0653-\u0655\u093C\u09BC\u0A3C\u0B3C\u0BD7\u0FB5\u0FB7]/;

const MARK = /\p{M}/u;

/** A symbol, which the index has if it is later than 2012. */
const SYMBOL = '[^\\p{L}\\p{M}\\p{N}\\p{Co}\\p{P}\\p{Z}\\p{Cc}\\x20-\\x7E]';
/** An accent that separates tokens. */
const ACCENT = '[\\u0305\\u030D\\u030E\\u0310\\u0312-\\u031A\\u031C-\\u0322\\u0329-\\u032C\\u032F\\u0332-\\u036F]';
const HAS_UNFOLDED = new RegExp(`${SYMBOL}|\\p{M}`, 'u');
/** What the index may have as a token, or as a part of one. */
const TOKEN = new RegExp(`(?:${LETTER})+|(${SYMBOL}|${ACCENT})\\1*`, 'gu');

/** Maximum repetitions of tokens in a phrase: each is a full scan of the index. */
const MAX_REPEATS = 7;
/** Maximum forms of a word, and of a phrase. */
const MAX_FORMS = 64;

/** Returns the tokens of the index that fold to a text. */
export type TokensOf = (folded: string) => readonly string[];

/** The texts that the index may have for a phrase, for FTS5, which splits them into tokens. A row has one of each list. */
export interface PhraseForms {
  readonly forms: readonly (readonly string[])[];
  /** Whether they are the phrase, not only its beginning, its words in any order, or words in it. */
  readonly isWhole: boolean;
}

/** Returns the forms of a phrase, up to a number of tokens. */
export function listPhraseForms(phrase: string, maxTokens: number, tokensOf: TokensOf): PhraseForms {
  const folded = listWords(phrase).map((word) => word.folded);
  const words = folded.map((word) => listWordForms(word, tokensOf)).filter((forms) => forms.length > 0);
  let forms: readonly string[] = [''];
  for (const wordForms of words) {
    forms = forms.flatMap((start) => wordForms.map((form) => `${start} ${form}`.trim()));
    if (forms.length > MAX_FORMS) {
      const tokens = Math.max(1, Math.floor(maxTokens / words.length));
      return { forms: words.map((each) => each.map((form) => cutForm(form, tokens))), isWhole: false };
    }
  }
  // Folded words have no symbols and no accents.
  const all = HAS_UNFOLDED.test(phrase) ? [...new Set([...forms, phrase])] : forms;
  const cut = all.map((form) => cutForm(form, maxTokens));
  // `⑴` is no word, but has one.
  const isWhole = cut.every((form, i) => form === all[i]) && !folded.some(isPartlyWord);
  return { forms: [cut], isWhole };
}

/** Whether a folded word is a single word and other characters. */
function isPartlyWord(folded: string): boolean {
  const parts = splitWords(folded);
  return parts.length < 2 && parts[0] !== folded;
}

/** Returns the beginning of a form: at most `maxTokens`, with MAX_REPEATS, and whole words if possible. */
function cutForm(form: string, maxTokens: number): string {
  const found = new Set<string>();
  let count = 0;
  for (const { 0: token, index } of form.matchAll(TOKEN)) {
    found.add(token);
    count += 1;
    if (count <= maxTokens && count - found.size <= MAX_REPEATS) continue;
    const end = form.lastIndexOf(' ', index);
    return form.slice(0, end === -1 ? index : end);
  }
  return form;
}

function listWordForms(word: string, tokensOf: TokensOf): readonly string[] {
  const characters = Array.from(word.normalize('NFD'));
  const isLetter = characters.map((character) => IS_LETTER.test(character));
  /** By place, from the end: the forms of the rest of the word. */
  const forms: (readonly string[])[] = [];
  forms[characters.length] = [''];
  for (let start = characters.length - 1; start >= 0; start -= 1) {
    const asWritten = forms[start + 1]!.map((rest) => characters[start]! + rest);
    const ends = isLetter[start] && !isLetter[start - 1] ? listTokenEnds(characters, isLetter, start) : [];
    const inTokens = ends.flatMap((end) => {
      const text = characters.slice(start, end).join('').normalize('NFC');
      // As written, the text is a token already if it has no marks.
      const others = tokensOf(text).filter((token) => token !== text || MARK.test(token.normalize('NFD')));
      return others.flatMap((token) => forms[end]!.map((rest) => `${token} ${rest}`));
    });
    forms[start] = [...new Set([...asWritten, ...inTokens])].slice(0, MAX_FORMS);
  }
  const all = [...forms[0]!, ...tokensOf(word)].filter((form) => HAS_LETTER.test(form));
  return [...new Set(all.map((form) => form.trim()))];
}

/** Lists where a token that begins at `start` may end: before each mark, up to one that no letter has. */
function listTokenEnds(characters: readonly string[], isLetter: readonly boolean[], start: number): number[] {
  const ends: number[] = [];
  for (let end = start + 1; ; end += 1) {
    if (isLetter[end]) continue;
    ends.push(end);
    if (!JOINED_MARK.test(characters[end] ?? '')) return ends;
  }
}

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
const splitWords = (folded: string): readonly string[] => folded.match(WORD) ?? [];

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
