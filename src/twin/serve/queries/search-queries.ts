import { eq, inArray } from 'drizzle-orm';
import type { SearchTerm } from '#analysis/find/search-query.ts';
import { createTweetSearch, positionOf } from '#analysis/find/tweet-search-sql.ts';
import { tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { PagePosition } from './served-cursors.ts';
import { authoredColumns, type AuthoredRow } from './tweet-columns.ts';

export interface SearchResults {
  readonly rows: readonly AuthoredRow[];
  /** The start of the next page; undefined if there is none. */
  readonly next: PagePosition | undefined;
}

/** Prepares the pages of a search. Too many terms are a SearchError, which is a 400. */
export function createSearchQuery(db: Db) {
  const search = createTweetSearch(db);
  const rowsOf = (ids: number[]): AuthoredRow[] =>
    db
      .select(authoredColumns)
      .from(tweets)
      .leftJoin(users, eq(users.id, tweets.authorId))
      .where(inArray(tweets.id, ids))
      .all();

  return (terms: readonly SearchTerm[], after: PagePosition | undefined, limit: number): SearchResults => {
    // Only the tweets of the page are read in full.
    const found = search.findPage(terms, after, limit + 1);
    const page = found.slice(0, limit);
    const rows = new Map(rowsOf(page.map(({ id }) => id)).map((row) => [row.id, row]));
    const last = found.length > limit ? page.at(-1) : undefined;
    return { rows: page.flatMap(({ id }) => rows.get(id) ?? []), next: last && positionOf(last) };
  };
}
