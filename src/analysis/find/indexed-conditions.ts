import { and, type SQL, sql } from 'drizzle-orm';
import type { Db } from '#store/sqlite/database.ts';
import type { SearchLimit } from './ranking.ts';
import type { SearchConditions } from './search-query.ts';

/** Limits that bound the cost of a search in a store of any size. */
export interface SearchBounds {
  /** Maximum rows of the narrowest condition that are read: the newest, or those stored last. */
  readonly maxExamined: number;
  /** Maximum matches, those stored last, whose relevance is computed. */
  readonly maxRanked: number;
}

export const DEFAULT_BOUNDS: SearchBounds = { maxExamined: 200_000, maxRanked: 50_000 };

/** Whether as many rows are selected as a search may examine, or more. */
export const isBeyond = (db: Db, rows: SQL, { maxExamined }: SearchBounds): boolean =>
  db.get<{ size: number }>(sql`select count(*) as size from (select id from (${rows}) limit ${maxExamined})`).size ===
  maxExamined;

/** Rows of a full-text index. */
export interface IndexedRows {
  /** The FTS5 expression; its rows match it. */
  readonly match: SQL;
  /** The condition on the index. */
  readonly condition: SQL;
  /** Why rows may be missing. */
  readonly limit: SearchLimit | undefined;
}

/**
 * Restricts the rows of a full-text index that match an expression.
 * @param within selects the ids of few rows, of which the matching ones are wanted
 * @param isFiltered whether other conditions leave matches out: then the matches that are examined are limited, too
 */
export function restrictMatches(
  db: Db,
  index: 'tweets_fts' | 'users_fts',
  expressions: readonly string[],
  { within, isFiltered, bounds }: { readonly within?: SQL | undefined; isFiltered: boolean; bounds: SearchBounds },
): IndexedRows {
  const name = sql.raw(index);
  const match = sql`${name} match ${expressions.join(' AND ')}`;
  // The plus prevents one full-text look-up per row, at up to a millisecond each.
  if (within) return { match, condition: and(match, sql`+${name}.rowid in (${within})`)!, limit: undefined };
  const last = isFiltered
    ? db.get<{ id: number } | undefined>(
        sql`select rowid as id from ${name} where ${match} order by rowid desc limit 1 offset ${bounds.maxExamined}`,
      )
    : undefined;
  if (!last) return { match, condition: match, limit: undefined };
  // Numbers are bound as floats, for which FTS5 ignores a condition on rowid.
  return { match, condition: and(match, sql`${name}.rowid > cast(${last.id} as integer)`)!, limit: 'read' };
}

/** The condition that a row has no excluded text; none without one. */
export const excludeTexts = (index: 'tweets_fts' | 'users_fts', id: SQL, { excluded }: SearchConditions): SQL[] =>
  excluded.map(
    (text) => sql`+${id} not in (select rowid from ${sql.raw(index)} where ${sql.raw(index)} match ${text})`,
  );
