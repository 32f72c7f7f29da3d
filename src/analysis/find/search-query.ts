import { parseDayOrTime } from '../../base/clock.ts';

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
