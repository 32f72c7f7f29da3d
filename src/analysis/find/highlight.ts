import { foldText, locateEntities } from '#base/text.ts';
import { type FoldedText, foldWithOffsets, type TextRange } from './folded-text.ts';
import { createPhraseFinder } from './index-tokens.ts';
import { type SearchTerm, isLetterSign, splitSearchText } from './search-query.ts';

/** Returns the parts of a text that match, in order and without overlaps. */
export type Highlighter = (text: string | null) => TextRange[];

/** Prepares finding what the terms of a search match in a text: words, phrases, symbols, hashtags and mentions. */
export function createHighlighter(terms: readonly SearchTerm[]): Highlighter {
  const finders = terms.flatMap((term): Finder[] => {
    if (term.kind === 'text') return createTextFinders(term.text);
    if (term.kind === 'hashtag') return [createEntityFinder('hashtags', foldText(term.tag), foldText)];
    if (term.kind === 'mention') return [createEntityFinder('mentions', term.screenName.toLowerCase(), (name) => name)];
    return [];
  });
  return (text) => {
    if (text === null || finders.length === 0) return [];
    const content = { text, folded: foldWithOffsets(text) };
    return mergeRanges(finders.flatMap((find) => [...find(content)]));
  };
}

interface Content {
  readonly text: string;
  readonly folded: FoldedText;
}

type Finder = (content: Content) => Iterable<TextRange>;

function createTextFinders(text: string): Finder[] {
  const { phrase, symbols } = splitSearchText(text);
  return [...(phrase === undefined ? [] : [createWordFinder(phrase)]), ...symbols.map(createLiteralFinder)];
}

function createWordFinder(phrase: string): Finder {
  const { locate } = createPhraseFinder(phrase);
  return ({ text }) => locate(text).map(({ start, end }) => ({ start, end: skipMarks(text, end) }));
}

/** Marks that are no part of a word, such as that of a keycap, belong to the character before them. */
function skipMarks(text: string, end: number): number {
  const marks = /^\p{M}+/u.exec(text.slice(end, end + 16));
  return end + (marks?.[0].length ?? 0);
}

/** Finds a text anywhere, in any form that folds to the same. */
function createLiteralFinder(literal: string): Finder {
  const isExact = isLetterSign(literal);
  const sought = isExact ? literal : foldText(literal);
  return function* findLiteral({ text, folded }) {
    const searched = isExact ? text : folded.folded;
    for (let at = searched.indexOf(sought); at !== -1; at = searched.indexOf(sought, at + 1)) {
      const end = at + sought.length;
      yield isExact ? { start: at, end } : folded.locate(at, end);
    }
  };
}

const createEntityFinder = (kind: 'hashtags' | 'mentions', sought: string, fold: (value: string) => string): Finder =>
  function* findEntity({ text }) {
    for (const { value, start, end } of locateEntities(text)[kind]) if (fold(value) === sought) yield { start, end };
  };

/** Joins overlapping ranges. Adjacent ones stay apart. */
function mergeRanges(ranges: readonly TextRange[]): TextRange[] {
  const merged: TextRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && range.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    else merged.push(range);
  }
  return merged;
}
