import { parse } from './search-parser.ts';

/** A term of a search as written; a tweet has to match all. Times are the start of the day, UTC. */
export type SearchTerm =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'author'; readonly screenName: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'mention'; readonly screenName: string }
  | { readonly kind: 'since'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number };

/** Direction marks, which are copied along with text. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Parses a `rawQuery` by search-grammar.peggy. Every text is valid. */
export function parseSearch(rawQuery: string): readonly SearchTerm[] {
  // NUL would end the text in SQLite. U+200B is an invisible space.
  const query = rawQuery
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200B]/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '');
  return parse(query) as readonly SearchTerm[];
}
