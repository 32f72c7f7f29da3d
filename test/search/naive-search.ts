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
  /^(?!\u02BC)[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

type Range = readonly [start: number, end: number];

/** A word, a character of a script without spaces, or a symbol. */
interface Part {
  readonly text: string;
  readonly range: Range;
}

const segmenter = new Intl.Segmenter('de');

/** Reads a text character by character, as a reader sees them. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let word: { text: string; start: number; end: number } | undefined;
  const endWord = (): void => {
    if (word) {
      const range = [word.start, word.end] as const;
      for (const each of naiveFold(word.text).match(/[\p{L}\p{N}\p{M}]+|\p{S}/gu) ?? [])
        parts.push({ text: each, range });
    }
    word = undefined;
  };
  for (const { segment, index } of segmenter.segment(text)) {
    for (const { 0: piece, index: within } of segment.matchAll(/[^\u200C\u200D]+/gu)) {
      // Invisible joiners separate words.
      if (within > 0) endWord();
      const start = index + within;
      if (/^[\p{L}\p{N}]/u.test(piece) && !UNSPACED.test(piece)) {
        const letters = piece.replace(/[\p{VS}\p{Me}].*$/su, '');
        word = { text: (word?.text ?? '') + letters, start: word?.start ?? start, end: start + piece.length };
        if (letters !== piece) endWord();
        continue;
      }
      endWord();
      if (UNSPACED.test(piece)) {
        const end = start + piece.length + /^\p{M}*/u.exec(text.slice(start + piece.length))![0].length;
        for (const each of naiveFold(piece).match(/[\p{L}\p{N}\p{M}]/gu) ?? [])
          parts.push({ text: each, range: [start, end] });
      } else
        for (const { 0: symbol, index: at } of piece.matchAll(/\p{S}\p{M}*/gu))
          for (const each of listSymbols(symbol))
            parts.push({ text: each, range: [start + at, start + at + symbol.length] });
    }
    if (/[\u200C\u200D]$/.test(segment)) endWord();
  }
  endWord();
  return parts;
}

/** A symbol that stands for letters is no letters; one for characters of a script without spaces is these. */
const listSymbols = (text: string): string[] =>
  (text.match(/\p{S}/gu) ?? []).flatMap((each) => {
    const folded = naiveFold(each);
    if (UNSPACED.test(folded)) return Array.from(folded);
    return [/^\p{S}$/u.test(folded) ? folded : each];
  });

/** The places that a keyword or a phrase matches: all its parts next to each other, whatever punctuation is between them. */
function naiveMatches(text: string, term: string): Range[] {
  const [sought, parts] = [partsOf(term), partsOf(text)];
  return parts.flatMap((_, i) => {
    const run = parts.slice(i, i + sought.length);
    const isEqual = run.length === sought.length && run.every((part, k) => part.text === sought[k]!.text);
    return isEqual && run.length > 0 ? [[run[0]!.range[0], run.at(-1)!.range[1]] as const] : [];
  });
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
