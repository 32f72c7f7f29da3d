import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import { type tweetHashtags, type tweetMentions, tweets } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { SearchLimit } from './ranking.ts';
import type { TextFolding } from './search-folding.ts';
import type { SearchConditions } from './search-query.ts';

/** Limits that bound the cost of a search in a store of any size. */
export interface SearchBounds {
  /** Maximum rows of the narrowest condition that are read: the newest, or those stored last. */
  readonly maxExamined: number;
  /** Maximum matches, those stored last, whose relevance is computed. */
  readonly maxRanked: number;
}

export const DEFAULT_BOUNDS: SearchBounds = { maxExamined: 200_000, maxRanked: 50_000 };

/** A condition with its own index. */
export interface Source {
  /** Selects the ids of at most `maxExamined` matching rows: the newest, or those stored last. */
  readonly rows: SQL;
  /** Orders `source`, joined with the table, newest first. */
  readonly order: SQL;
  /** The condition on a row of the table. */
  readonly condition: SQL;
}

/** Counts selected ids, up to `limit`. */
export const countIds = (db: Db, rows: SQL, limit: number): number =>
  db.get<{ size: number }>(sql`select count(*) as size from (select id from (${rows}) limit ${limit})`).size;

/** Returns the source with the fewest rows; undefined if all have `maxExamined` or more. */
export function findNarrowest(
  db: Db,
  sources: readonly Source[],
  { maxExamined }: Pick<SearchBounds, 'maxExamined'>,
): Source | undefined {
  let found: Source | undefined;
  let fewest = maxExamined;
  for (const source of sources) {
    const size = countIds(db, source.rows, fewest);
    if (size < fewest) [found, fewest] = [source, size];
  }
  return found;
}

const newestFirst = sql`${tweets.createdAt} desc, ${tweets.id} desc`;

export function createTimeSource(
  { from, to }: Pick<SearchConditions, 'from' | 'to'>,
  author: number | undefined,
  { maxExamined }: SearchBounds,
): Source {
  const condition = and(
    author === undefined ? undefined : eq(tweets.authorId, author),
    gte(tweets.createdAt, from),
    lt(tweets.createdAt, to),
  )!;
  const rows = sql`select id, created_at from ${tweets} where ${condition}
    order by created_at desc, id desc limit ${maxExamined}`;
  // With this order SQLite needs no sort and stops at the end of the page.
  return { rows, condition, order: sql`source.created_at desc, source.id desc` };
}

export function createReferenceSource(
  table: typeof tweetHashtags | typeof tweetMentions,
  to: SQL,
  { maxExamined }: SearchBounds,
): Source {
  return {
    // A tweet can contain several spellings of a hashtag.
    rows: sql`select distinct tweet_id as id from ${table} where ${to} order by tweet_id desc limit ${maxExamined}`,
    order: newestFirst,
    condition: sql`exists (select 1 from ${table} where ${to} and ${table.tweetId} = ${tweets.id})`,
  };
}

/** Rows that an index of characters finds beyond the rows that are read. */
export interface FurtherRows {
  /** Selects ids, those stored last. */
  readonly rows: SQL;
  /** Why rows may still be missing. */
  readonly limit: SearchLimit;
}

/**
 * Selects the rows that have the characters of texts in scripts without spaces, and that match the FTS5 expression `words`;
 * undefined if the texts have no such characters.
 */
export function findFurther(
  db: Db,
  folding: TextFolding,
  { literals, words }: { readonly literals: readonly string[]; readonly words?: string },
  { maxExamined }: SearchBounds,
): FurtherRows | undefined {
  const characters = folding.matchCharacters(literals);
  if (characters === undefined) return undefined;
  const match = words === undefined ? characters : `(${words}) AND ${characters}`;
  const index = sql.raw(folding.index);
  const rows = sql`select rowid as id from ${index} where ${index} match ${match} order by rowid desc limit ${maxExamined}`;
  return { rows, limit: countIds(db, rows, maxExamined) === maxExamined ? 'read' : 'characters' };
}

/** Adds further rows to a source: their ids may repeat those of the source. */
export const extendSource = (source: Source, { rows }: FurtherRows): Source => ({
  rows: sql`select id from (${source.rows}) union select id from (${rows})`,
  order: newestFirst,
  condition: source.condition,
});
