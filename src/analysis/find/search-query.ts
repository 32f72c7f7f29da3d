import { parseDayOrTime } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { foldText } from '#base/text.ts';
import { listWords } from './index-tokens.ts';

/** A term of a search as written; a result has to match all. Times are the start of the day, UTC. */
export type SearchTerm =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'author'; readonly screenName: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'mention'; readonly screenName: string }
  | { readonly kind: 'handle'; readonly screenName: string }
  | { readonly kind: 'since'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number };

/** Direction marks, which are copied along with text. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** A phrase or a word. All else is skipped: spaces, and a quote that is never closed. */
const PIECE = /["“”„＂](?<phrase>[^"“”„＂]*)["“”„＂]|(?<word>[^\p{Z}"“”„＂]+)/gu;

/** An operator is a whole word; every other word is a keyword. */
type Operator = readonly [pattern: RegExp, read: (value: string) => SearchTerm | undefined];

/** The operators of a search for tweets. */
const TWEET_OPERATORS: readonly Operator[] = [
  [/^from:(?!@$)@?(.+)$/i, (screenName) => ({ kind: 'author', screenName })],
  [/^@(\w+)$/, (screenName) => ({ kind: 'mention', screenName })],
  // Without a letter it is a number (#1).
  [/^[#＃](?=.*\p{L})([\p{L}\p{M}\p{Nd}_]+)$/u, (tag) => ({ kind: 'hashtag', tag })],
  [/^since:(\d{4}-\d{2}-\d{2})$/i, (day) => readDay('since', day)],
  [/^until:(\d{4}-\d{2}-\d{2})$/i, (day) => readDay('until', day)],
];

/** The operators of a search for accounts. A handle may have any characters. */
const USER_OPERATORS: readonly Operator[] = [[/^@(.+)$/u, (screenName) => ({ kind: 'handle', screenName })]];

/** Parses a `rawQuery` (spec, Endpoint rules, 4). Every text is valid. */
export const parseSearch = (rawQuery: string): readonly SearchTerm[] => parseTerms(rawQuery, TWEET_OPERATORS);

/** Parses a search for accounts: words, phrases and handles. Every text is valid. */
export const parseUserSearch = (rawQuery: string): readonly SearchTerm[] => parseTerms(rawQuery, USER_OPERATORS);

function parseTerms(rawQuery: string, operators: readonly Operator[]): readonly SearchTerm[] {
  // NUL would end the text in SQLite. U+200B is an invisible space.
  const query = rawQuery
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200B]/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '');
  return [...query.matchAll(PIECE)].flatMap(({ groups }): SearchTerm[] => {
    const { phrase, word } = groups!;
    if (word !== undefined) return [readWord(word, operators)];
    const text = phrase!.trim();
    return text === '' ? [] : [{ kind: 'text', text }];
  });
}

function readWord(word: string, operators: readonly Operator[]): SearchTerm {
  for (const [pattern, read] of operators) {
    const value = pattern.exec(word)?.[1];
    const term = value === undefined ? undefined : read(value);
    if (term) return term;
  }
  return { kind: 'text', text: word };
}

function readDay(kind: 'since' | 'until', day: string): SearchTerm | undefined {
  const at = parseDayOrTime(day);
  return at === undefined ? undefined : { kind, at };
}

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

/**
 * Scripts without spaces between words. The index treats a run of them as one word, so they are searched in the text.
 */
const UNSPACED =
  /(?=[\p{L}\p{N}])[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Yiii}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Lana}\p{scx=Tale}\p{scx=Talu}\p{scx=Tavt}\p{scx=Java}\p{scx=Bali}]/u;
/** Letters and digits. The index has two Vedic letters as marks. */
const INDEXED = /(?![\u1CF2\u1CF3])[\p{L}\p{N}]/u;
/** Symbols and emoji, which are no words. Joiners count only between them. */
const SYMBOLS = /\p{S}(?:(?:\p{S}|\u200D|\uFE0F)*\p{S})?/gu;

/** A keyword or phrase, by how its parts are searched. A tweet has to match all parts. */
export interface SplitText {
  /** Text whose words are searched with the full-text index; undefined without an indexed character. */
  readonly phrase: string | undefined;
  /** Symbols, or a text that is not indexed, in any form that folds to the same (`foldText`). */
  readonly symbols: readonly string[];
}

/** Splits a keyword or phrase. Punctuation is ignored beside letters and digits; alone it is searched literally. */
export const splitSearchText = (text: string): SplitText =>
  UNSPACED.test(text) || !INDEXED.test(text)
    ? { phrase: undefined, symbols: [text] }
    : { phrase: text, symbols: text.match(SYMBOLS) ?? [] };

/** Whether a text without letters and digits folds to one with them (`™`). It is searched as it is. */
export const isLetterSign = (text: string): boolean => INDEXED.test(foldText(text)) && !INDEXED.test(text);

/** A search has more terms than one may have. */
export class SearchError extends UsageError {
  override readonly name = 'SearchError';
}
