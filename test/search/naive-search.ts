/** What a search matches, computed without an index, by the words of docs/search.md. Only for the terms that tests use. */

/** Ignores case, accents and compatibility forms. */
const naiveFold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFC')
    .replaceAll('ς', 'σ');

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

type Range = readonly [start: number, end: number];

/** A word with its place: letters, digits and their marks. */
const wordsOf = (text: string): { readonly word: string; readonly range: Range }[] =>
  Array.from(text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu), ({ 0: word, index }) => ({
    word: naiveFold(word),
    range: [index, index + word.length] as const,
  }));

/** All places of words next to each other, whatever punctuation is between them. */
function findWords(text: string, sought: readonly string[]): Range[] {
  const words = wordsOf(text);
  return words.flatMap((_, i) => {
    const run = words.slice(i, i + sought.length);
    const isEqual = run.length === sought.length && run.every(({ word }, k) => word === sought[k]);
    return isEqual ? [[run[0]!.range[0], run.at(-1)!.range[1]] as const] : [];
  });
}

/** All places where a part of the text folds to the same, tried one by one. */
function findParts(text: string, sought: string): Range[] {
  const found: Range[] = [];
  const isBoundary = (at: number): boolean => !/^[\p{M}\uFF9E\uFF9F\uDC00-\uDFFF]/u.test(text.slice(at));
  for (let start = 0; start < text.length; start++) {
    if (!isBoundary(start)) continue;
    for (let end = start + 1; end <= Math.min(text.length, start + 3 * sought.length); end++)
      if (isBoundary(end) && naiveFold(text.slice(start, end)) === naiveFold(sought)) found.push([start, end]);
  }
  return found;
}

/** The places that a keyword or a phrase matches in a text. */
function naiveMatches(text: string, term: string): Range[] {
  const isText = UNSPACED.test(term) || !/[\p{L}\p{N}]/u.test(term);
  return isText
    ? findParts(text, term)
    : findWords(
        text,
        wordsOf(term).map(({ word }) => word),
      );
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
