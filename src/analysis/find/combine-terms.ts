import { foldText } from '../../base/text.ts';
import { SearchError } from './search-error.ts';
import type { SearchTerm } from './search-query.ts';
import { isLetterSign, splitSearchText } from './search-text.ts';
import { listWords } from './split-words.ts';

/** The conditions of a search, each once. */
export interface SearchConditions {
  /** Texts whose words the tweet has to contain, as written. */
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

/**
 * Combines the terms of a search; undefined if there are none.
 * @throws SearchError if there are too many
 */
export function combineTerms(terms: readonly SearchTerm[]): SearchConditions | undefined {
  if (terms.length === 0) return undefined;
  const matches = termsOfKind(terms, 'text').map(({ text }) => splitSearchText(text));
  const combined = {
    phrases: uniqueBy(
      matches.flatMap(({ phrase }) => phrase ?? []),
      meaningOfPhrase,
    ),
    literals: uniqueBy(
      matches.flatMap(({ symbols }) => symbols),
      meaningOfLiteral,
    ),
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
  const words = phrases.flatMap(listWords);
  const conditions = [words, literals, authors, hashtags, mentions, handles].flat().length;
  if (conditions > MAX_CONDITIONS) {
    throw new SearchError(
      `A search may contain ${MAX_CONDITIONS} words, symbols, names and tags; this one has ${conditions}.`,
    );
  }
}

export function termsOfKind<K extends SearchTerm['kind']>(
  terms: readonly SearchTerm[],
  kind: K,
): Extract<SearchTerm, { kind: K }>[] {
  return terms.filter((term): term is Extract<SearchTerm, { kind: K }> => term.kind === kind);
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

const meaningOfPhrase = (phrase: string): string =>
  listWords(phrase)
    .map(({ folded }) => folded)
    .join('\n');
const meaningOfLiteral = (text: string): string => (isLetterSign(text) ? text : foldText(text));

/** Returns the first of the texts that mean the same. */
const uniqueBy = (texts: readonly string[], meaningOf: (text: string) => string): string[] => [
  ...new Map(texts.toReversed().map((text) => [meaningOf(text), text])).values(),
];
