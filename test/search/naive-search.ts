/** What a search matches, computed without an index, by the words of docs/find.md. Only for the terms that tests use. */

/** Ignores case, accents and compatibility forms. */
const naiveFold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/(?<=[\p{L}\p{N}])[\u0300-\u036F]+/gu, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ');

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

type Range = readonly [start: number, end: number];

/** Letters, digits and their marks, without those of emoji (`1️⃣`). */
const WORD = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{Mc}]|(?!\p{VS})\p{Mn})*/gu;

/** A word with its place, which includes the marks of an emoji. */
const wordsOf = (text: string): { readonly word: string; readonly range: Range }[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => {
    const end = index + word.length;
    return { word: naiveFold(word), range: [index, end + /^\p{M}*/u.exec(text.slice(end))![0].length] as const };
  });

/** All places of words next to each other, whatever punctuation is between them. */
function findWords(text: string, sought: readonly string[]): Range[] {
  const words = wordsOf(text);
  return words.flatMap((_, i) => {
    const run = words.slice(i, i + sought.length);
    const isEqual = run.length === sought.length && run.every(({ word }, k) => word === sought[k]);
    return isEqual ? [[run[0]!.range[0], run.at(-1)!.range[1]] as const] : [];
  });
}

/** The words of a term: a character that stands for several words (`½`) is searched as it is, and as these words. */
const listPhrases = (term: string): string[][] =>
  wordsOf(term).reduce<string[][]>(
    (phrases, { word }) => {
      const parts = word.match(WORD) ?? [];
      const forms = parts.length > 1 ? [[word], [...parts]] : [[word]];
      return phrases.flatMap((start) => forms.map((form) => [...start, ...form]));
    },
    [[]],
  );

/** All parts of the text that fold to one with the sought text in it, tried one by one; none that is in another. */
function findParts(text: string, sought: string): Range[] {
  const found: Range[] = [];
  // Marks and the vowels of Korean belong to the character before them.
  const isBoundary = (at: number): boolean =>
    !/^[\p{M}\u1160-\u11FF]/u.test(text.slice(at).normalize('NFKD')) && !/^[\uDC00-\uDFFF]/.test(text.slice(at));
  for (let start = text.length - 1; start >= 0; start--) {
    if (!isBoundary(start)) continue;
    for (let end = start + 1; end <= text.length; end++) {
      if (!isBoundary(end) || !naiveFold(text.slice(start, end)).includes(naiveFold(sought))) continue;
      if (found.every(([, other]) => other > end)) found.push([start, end]);
      break;
    }
  }
  return found;
}

/** The places that a keyword or a phrase matches in a text. */
function naiveMatches(text: string, term: string): Range[] {
  const isWord = /[\p{L}\p{N}]/u;
  // A symbol that stands for letters is no letters.
  if (!isWord.test(term) && isWord.test(naiveFold(term)))
    return Array.from(text.matchAll(new RegExp(term, 'gu')), ({ index }) => [index, index + term.length]);
  return UNSPACED.test(term) || !isWord.test(term)
    ? findParts(text, term)
    : listPhrases(term).flatMap((phrase) => findWords(text, phrase));
}

/** The places that any of the terms match, without overlaps. */
export function naiveHighlights(text: string, terms: readonly string[]): Range[] {
  const merged: [number, number][] = [];
  const places = terms.flatMap((term) => naiveMatches(text, term));
  for (const [start, end] of places.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Whether each term matches in one of the texts. */
export const isNaiveMatch = (texts: readonly string[], terms: readonly string[]): boolean =>
  terms.every((term) => texts.some((text) => naiveMatches(text, term).length > 0));
