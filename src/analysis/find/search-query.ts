import { parseDayOrTime } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import { listTokens } from '#base/search-text.ts';
import { foldText } from '#base/text.ts';

/** A term of a search as written; a result has to match all. Times are the start of the day, UTC. */
export type SearchTerm =
  | { readonly kind: 'text'; readonly text: string }
  /** Any of these texts. */
  | { readonly kind: 'any'; readonly texts: readonly string[] }
  /** Not this text. */
  | { readonly kind: 'not'; readonly text: string }
  | { readonly kind: 'author'; readonly screenName: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'mention'; readonly screenName: string }
  | { readonly kind: 'handle'; readonly screenName: string }
  | { readonly kind: 'since'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number };

/** Direction marks, which are copied along with text. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** A phrase, which may be excluded, or a word. All else is skipped: spaces, and a quote that is never closed. */
const PIECE = /(?<minus>-?)["“”„＂](?<phrase>[^"“”„＂]*)["“”„＂]|(?<word>[^\p{Z}"“”„＂]+)/gu;

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
export const parseSearch = (rawQuery: string): readonly SearchTerm[] =>
  listPieces(rawQuery).flatMap((piece) => readPiece(piece, TWEET_OPERATORS));

/** Parses a search of the store, which also has `OR` between texts, and `-` before one. Every text is valid. */
export function parseFind(query: string, { isForUsers }: { readonly isForUsers: boolean }): readonly SearchTerm[] {
  const operators = isForUsers ? USER_OPERATORS : TWEET_OPERATORS;
  const pieces = listPieces(query);
  const terms: SearchTerm[] = [];
  for (let i = 0; i < pieces.length; i += 1) {
    const piece = pieces[i]!;
    const last = terms.at(-1);
    const next = isOr(piece) && i + 1 < pieces.length ? readPiece(pieces[i + 1]!, operators)[0] : undefined;
    const excluded = readExcluded(piece, operators);
    if (next?.kind === 'text' && (last?.kind === 'text' || last?.kind === 'any')) {
      const before = last.kind === 'any' ? last.texts : [last.text];
      terms[terms.length - 1] = { kind: 'any', texts: [...before, next.text] };
      i += 1;
    } else if (excluded !== undefined) terms.push({ kind: 'not', text: excluded });
    else terms.push(...readPiece(piece, operators));
  }
  return terms;
}

const isOr = ({ text, isPhrase }: Piece): boolean => text === 'OR' && !isPhrase;

/** Returns the word or phrase that a piece excludes; undefined if it excludes none. */
function readExcluded({ text, isPhrase, hasMinus }: Piece, operators: readonly Operator[]): string | undefined {
  if (isPhrase) return hasMinus ? text : undefined;
  const word = /^-(.+)/u.exec(text)?.[1];
  return word !== undefined && readText(word, operators).kind === 'text' ? word : undefined;
}

/** A part of a search as written. */
interface Piece {
  readonly text: string;
  readonly isPhrase: boolean;
  /** Whether a minus is directly before a phrase. */
  readonly hasMinus: boolean;
}

function listPieces(rawQuery: string): Piece[] {
  // NUL would end the text in SQLite. U+200B is an invisible space.
  const query = rawQuery
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200B]/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '');
  return Array.from(query.matchAll(PIECE), ({ groups }) => ({
    text: groups!['word'] ?? groups!['phrase']!.trim(),
    isPhrase: groups!['word'] === undefined,
    hasMinus: groups!['minus'] === '-',
  }));
}

/** Returns the term of a piece; none for an empty phrase. */
function readPiece({ text, isPhrase }: Piece, operators: readonly Operator[]): SearchTerm[] {
  if (!isPhrase) return [readText(text, operators)];
  return text === '' ? [] : [{ kind: 'text', text }];
}

function readText(word: string, operators: readonly Operator[]): SearchTerm {
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
  /** The FTS5 expressions of words, phrases and symbols: a row matches all. */
  readonly texts: readonly string[];
  /** Those of which a row matches none. */
  readonly excluded: readonly string[];
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

/** Each token is a scan of the index, so the limit bounds the cost. No single tweet has more words. */
const MAX_CONDITIONS = 64;

/**
 * Combines the terms of a search; undefined if there are none, or only punctuation.
 * @throws SearchError if there are too many
 */
export function combineTerms(terms: readonly SearchTerm[]): SearchConditions | undefined {
  const texts = [
    ...termsOfKind(terms, 'text').map(({ text }) => [text]),
    ...termsOfKind(terms, 'any').map((term) => term.texts),
  ];
  const excluded = termsOfKind(terms, 'not').map(({ text }) => [text]);
  const combined = {
    texts: unique(texts.flatMap(matchAny)),
    excluded: unique(excluded.flatMap(matchAny)),
    authors: unique(termsOfKind(terms, 'author').map(({ screenName }) => screenName)),
    hashtags: unique(termsOfKind(terms, 'hashtag').map(({ tag }) => foldText(tag))),
    mentions: unique(termsOfKind(terms, 'mention').map(({ screenName }) => screenName.toLowerCase())),
    handles: unique(termsOfKind(terms, 'handle').map(({ screenName }) => screenName)),
    from: Math.max(Number.MIN_SAFE_INTEGER, ...termsOfKind(terms, 'since').map(({ at }) => at)),
    to: Math.min(Number.MAX_SAFE_INTEGER, ...termsOfKind(terms, 'until').map(({ at }) => at)),
    hasWindow: terms.some(({ kind }) => kind === 'since' || kind === 'until'),
  };
  const { authors, hashtags, mentions, handles } = combined;
  const words = new Set([...texts, ...excluded].flat().flatMap((text) => listTokens(text).map(({ token }) => token)));
  const conditions = words.size + [authors, hashtags, mentions, handles].flat().length;
  if (conditions > MAX_CONDITIONS)
    throw new SearchError(
      `A search may contain ${MAX_CONDITIONS} words, symbols, names and tags; this one has ${conditions}.`,
    );
  const isEmpty = conditions === 0 && !combined.hasWindow;
  return isEmpty ? undefined : combined;
}

/** Returns the FTS5 expression for rows with the tokens of a text next to each other; undefined for punctuation alone. */
export function matchText(text: string): string | undefined {
  const tokens = listTokens(text).map(({ token }) => token);
  return tokens.length === 0 ? undefined : `"${tokens.join(' ')}"`;
}

/** Returns the expression for rows with any of some texts; none without a token. */
function matchAny(texts: readonly string[]): string[] {
  const expressions = texts.flatMap((text) => matchText(text) ?? []);
  return expressions.length > 1 ? [`(${expressions.join(' OR ')})`] : expressions;
}

export function termsOfKind<K extends SearchTerm['kind']>(
  terms: readonly SearchTerm[],
  kind: K,
): Extract<SearchTerm, { kind: K }>[] {
  return terms.filter((term): term is Extract<SearchTerm, { kind: K }> => term.kind === kind);
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

/** A search has more terms than one may have. */
export class SearchError extends UsageError {
  override readonly name = 'SearchError';
}
