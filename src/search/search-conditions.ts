import { foldText } from '../text.ts';
import { SearchError } from './search-error.ts';
import type { SearchTerm } from './search-query.ts';
import { splitSearchText, foldedWords } from './search-text.ts';

/** The conditions of a search, each once. */
export interface SearchConditions {
  /** For the full-text index, as written. */
  readonly phrases: readonly string[];
  /** Texts that the tweet has to contain, as written. */
  readonly literals: readonly string[];
  readonly authors: readonly string[];
  /** Folded (`foldText`), without the sign. */
  readonly hashtags: readonly string[];
  readonly mentions: readonly string[];
  /** Handles of accounts, as written. */
  readonly handles: readonly string[];
  /** From (inclusive) and to (exclusive), in milliseconds UTC. */
  readonly from: number;
  readonly to: number;
  /** Whether the range is restricted. */
  readonly hasWindow: boolean;
}

/** The maximum length of a search, as that of a request of the service; UTF-16 code units. */
const MAX_LENGTH = 1000;

/** @throws SearchError for a search of more than 1,000 characters */
export function checkQueryLength(query: string): void {
  if (query.length > MAX_LENGTH)
    throw new SearchError(`A search may have ${MAX_LENGTH} characters; this one has ${query.length}.`);
}

/** Each word is a scan of the index, so the limit bounds the cost. No single tweet has more words. */
const MAX_CONDITIONS = 64;
/** Each repetition of a word in a phrase is a full scan of the index. */
const MAX_REPEATS = 7;

/**
 * Combines the terms of a search; undefined if there are none.
 * @throws SearchError if there are too many
 */
export function combineTerms(terms: readonly SearchTerm[]): SearchConditions | undefined {
  if (terms.length === 0) return undefined;
  const matches = termsOfKind(terms, 'text').map(({ text }) => splitSearchText(text));
  const combined = {
    phrases: uniqueFolded(matches.flatMap(({ phrase }) => phrase ?? [])),
    literals: uniqueFolded(matches.flatMap(({ symbols, markedWords }) => [...symbols, ...markedWords])),
    authors: unique(termsOfKind(terms, 'author').map(({ screenName }) => screenName)),
    hashtags: unique(termsOfKind(terms, 'hashtag').map(({ tag }) => foldText(tag))),
    mentions: unique(termsOfKind(terms, 'mention').map(({ screenName }) => screenName.toLowerCase())),
    handles: unique(termsOfKind(terms, 'handle').map(({ screenName }) => screenName)),
    from: Math.max(Number.MIN_SAFE_INTEGER, ...termsOfKind(terms, 'since').map(({ at }) => at)),
    to: Math.min(Number.MAX_SAFE_INTEGER, ...termsOfKind(terms, 'until').map(({ at }) => at)),
    hasWindow: terms.some(({ kind }) => kind === 'since' || kind === 'until'),
  };
  checkLimits(combined);
  return combined;
}

function checkLimits({ phrases, literals, authors, hashtags, mentions, handles }: SearchConditions): void {
  const words = phrases.map(foldedWords);
  const conditions = [...words.flat(), ...literals, ...authors, ...hashtags, ...mentions, ...handles].length;
  if (conditions > MAX_CONDITIONS) {
    throw new SearchError(
      `A search may contain ${MAX_CONDITIONS} words, symbols, names and tags; this one has ${conditions}.`,
    );
  }
  if (words.some((phraseWords) => phraseWords.length - new Set(phraseWords).size > MAX_REPEATS)) {
    throw new SearchError(`A phrase may repeat words ${MAX_REPEATS} times in total; one of these exceeds that.`);
  }
}

export function termsOfKind<K extends SearchTerm['kind']>(
  terms: readonly SearchTerm[],
  kind: K,
): Extract<SearchTerm, { kind: K }>[] {
  return terms.filter((term): term is Extract<SearchTerm, { kind: K }> => term.kind === kind);
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Removes texts that fold to the same, and keeps the first. */
const uniqueFolded = (texts: readonly string[]): string[] => [
  ...new Map(texts.toReversed().map((text) => [foldText(text), text])).values(),
];
