import { parse } from './search-parser.ts';

/** One condition of a search, as it was written; a tweet is found when all hold. Times are the day's first moment, UTC. */
export type SearchTerm =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'author'; readonly screenName: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'mention'; readonly screenName: string }
  | { readonly kind: 'since'; readonly at: number }
  | { readonly kind: 'until'; readonly at: number };

/** They tell how right-to-left text is shown, and stick to what is copied. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/** Takes a `rawQuery` apart by the grammar of search-grammar.peggy. Every text is a query: there are no syntax errors. */
export function parseSearch(rawQuery: string): readonly SearchTerm[] {
  // A NUL would end the text for SQLite, and half a surrogate pair is no text. U+200B is a space that does not show.
  const query = rawQuery
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200B]/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '');
  return parse(query) as readonly SearchTerm[];
}
