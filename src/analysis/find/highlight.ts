import { listTokens, type LocatedToken, type TextRange } from '#base/search-text.ts';
import { foldText, locateEntities } from '#base/text.ts';
import type { SearchTerm } from './search-query.ts';

/** Returns the parts of a text that match, in order and without overlaps. */
export type Highlighter = (text: string | null) => TextRange[];

/** Prepares finding what the terms of a search match in a text: words, phrases, symbols, hashtags and mentions. */
export function createHighlighter(terms: readonly SearchTerm[]): Highlighter {
  const finders = terms.flatMap((term): Finder[] => {
    if (term.kind === 'text') return [createTextFinder(term.text)];
    if (term.kind === 'any') return term.texts.map(createTextFinder);
    if (term.kind === 'hashtag') return [createEntityFinder('hashtags', foldText(term.tag), foldText)];
    if (term.kind === 'mention') return [createEntityFinder('mentions', term.screenName.toLowerCase(), (name) => name)];
    return [];
  });
  return (text) => {
    if (text === null || finders.length === 0) return [];
    const tokens = listTokens(text);
    return mergeRanges(finders.flatMap((find) => find(text, tokens)));
  };
}

type Finder = (text: string, tokens: readonly LocatedToken[]) => TextRange[];

/** Finds the tokens of a text next to each other. */
function createTextFinder(sought: string): Finder {
  const expected = listTokens(sought).map(({ token }) => token);
  return (text, tokens) =>
    tokens.flatMap(({ start }, first) => {
      if (expected.length === 0 || expected.some((token, i) => tokens[first + i]?.token !== token)) return [];
      return [{ start, end: skipMarks(text, tokens[first + expected.length - 1]!.end) }];
    });
}

/** Marks that are no part of a word, such as that of a keycap, belong to the character before them. */
function skipMarks(text: string, end: number): number {
  const marks = /^\p{M}+/u.exec(text.slice(end, end + 16));
  return end + (marks?.[0].length ?? 0);
}

const createEntityFinder =
  (kind: 'hashtags' | 'mentions', sought: string, fold: (value: string) => string): Finder =>
  (text) =>
    locateEntities(text)[kind].filter(({ value }) => fold(value) === sought);

/** Joins overlapping ranges. Adjacent ones stay apart. */
function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}
