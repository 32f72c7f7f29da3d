import { foldText } from '../../text.ts';
import { badRequest } from '../problems.ts';
import type { SearchTerm } from './search-query.ts';
import { splitSearchText, foldedWords } from './search-text.ts';

/** A search with its terms brought together, each condition once. */
export interface SearchConditions {
  /** For the full-text index, as they were written. */
  readonly phrases: readonly string[];
  /** What the text itself has to hold, as it was written. */
  readonly literals: readonly string[];
  readonly authors: readonly string[];
  /** Folded (`foldText`), without the sign. */
  readonly hashtags: readonly string[];
  readonly mentions: readonly string[];
  /** From the first moment, up to but without the second; milliseconds UTC. */
  readonly from: number;
  readonly to: number;
  /** Whether these two leave anything out. */
  readonly hasWindow: boolean;
}

/** Every word is another walk through the index, so their number bounds the work. A tweet to be found whole has fewer. */
const MAX_CONDITIONS = 64;
/** Each time that a phrase repeats a word is a walk of full length: no other word of the phrase can shorten it. */
const MAX_REPEATS = 7;

/**
 * Brings the terms of a search together; undefined when it asks for nothing.
 * @throws Problem 400 when it asks for too much at once.
 */
export function combineTerms(terms: readonly SearchTerm[]): SearchConditions | undefined {
  if (terms.length === 0) return undefined;
  const matches = termsOfKind(terms, 'text').map(({ text }) => splitSearchText(text));
  const combined = {
    phrases: uniqueFolded(matches.flatMap(({ phrase }) => phrase ?? [])),
    literals: uniqueFolded(matches.flatMap(({ literals }) => literals)),
    authors: unique(termsOfKind(terms, 'author').map(({ screenName }) => screenName)),
    hashtags: unique(termsOfKind(terms, 'hashtag').map(({ tag }) => foldText(tag))),
    mentions: unique(termsOfKind(terms, 'mention').map(({ screenName }) => screenName.toLowerCase())),
    from: Math.max(Number.MIN_SAFE_INTEGER, ...termsOfKind(terms, 'since').map(({ at }) => at)),
    to: Math.min(Number.MAX_SAFE_INTEGER, ...termsOfKind(terms, 'until').map(({ at }) => at)),
    hasWindow: terms.some(({ kind }) => kind === 'since' || kind === 'until'),
  };
  checkLimits(combined);
  return combined;
}

function checkLimits({ phrases, literals, authors, hashtags, mentions }: SearchConditions): void {
  const words = phrases.map(foldedWords);
  const conditions = [...words.flat(), ...literals, ...authors, ...hashtags, ...mentions].length;
  if (conditions > MAX_CONDITIONS) {
    throw badRequest(`A search may hold ${MAX_CONDITIONS} words, signs, names and tags; this one has ${conditions}.`);
  }
  if (words.some((phraseWords) => phraseWords.length - new Set(phraseWords).size > MAX_REPEATS)) {
    throw badRequest(`A phrase may repeat words ${MAX_REPEATS} times in all; one of these does more often.`);
  }
}

function termsOfKind<K extends SearchTerm['kind']>(
  terms: readonly SearchTerm[],
  kind: K,
): Extract<SearchTerm, { kind: K }>[] {
  return terms.filter((term): term is Extract<SearchTerm, { kind: K }> => term.kind === kind);
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** Each once, in the first of the forms that fold to the same. */
const uniqueFolded = (texts: readonly string[]): string[] => [
  ...new Map(texts.toReversed().map((text) => [foldText(text), text])).values(),
];
