import { and, eq, gte, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { tweetHashtags, tweetMentions, tweets, users } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { PagePosition } from '../queries/cursors.ts';
import { lastHolderOf } from '../queries/profiles.ts';
import { authoredColumns, type AuthoredRow, isNotDeleted } from '../queries/tweet-columns.ts';
import { combineTerms, type SearchConditions } from './search-conditions.ts';
import { createTextFolding, type TextFolding } from './search-folding.ts';
import type { SearchTerm } from './search-query.ts';

/** Limits that bound the cost of a search in a store of any size. */
export interface SearchBounds {
  /** Maximum rows of the narrowest condition that are read: the newest, or those stored last. */
  readonly maxExamined: number;
  /** Maximum matching tweets, those stored last, whose relevance is computed. */
  readonly maxRanked: number;
}

const DEFAULT_BOUNDS: SearchBounds = { maxExamined: 200_000, maxRanked: 50_000 };

/** A condition with its own index. */
interface Source {
  /** Selects the ids of at most `maxExamined` matching tweets: the newest, or those stored last. */
  readonly rows: SQL;
  /** Orders `source`, joined with `tweets`, newest first. */
  readonly order: SQL;
  /** The condition on a row of `tweets`. */
  readonly condition: SQL;
}

/** Prepares the search for tweets and replies that match all terms. Too many terms are a Problem 400. */
export function createSearchQuery(db: Db, bounds = DEFAULT_BOUNDS) {
  const folding = createTextFolding(db);
  const rowsOf = (ids: number[]): AuthoredRow[] =>
    db
      .select(authoredColumns)
      .from(tweets)
      .leftJoin(users, eq(users.id, tweets.authorId))
      .where(inArray(tweets.id, ids))
      .all();

  return (terms: readonly SearchTerm[], after: PagePosition | undefined, limit: number): SearchResults => {
    // Only the tweets of the page are read in full.
    const conditions = combineTerms(terms);
    const found = conditions ? findTweets({ db, folding, conditions, after, limit: limit + 1, bounds }) : [];
    const page = found.slice(0, limit);
    const rows = new Map(rowsOf(page.map(({ id }) => id)).map((row) => [row.id, row]));
    const last = found.length > limit ? page.at(-1) : undefined;
    return { rows: page.flatMap(({ id }) => rows.get(id) ?? []), next: last && positionOf(last) };
  };
}

export interface SearchResults {
  readonly rows: readonly AuthoredRow[];
  /** The start of the next page; undefined if there is none. */
  readonly next: PagePosition | undefined;
}

interface FoundTweet {
  readonly id: number;
  readonly createdAt: number;
  /** Lower is more relevant; null in a search by time. */
  readonly relevance: number | null;
}

const positionOf = ({ id, createdAt, relevance }: FoundTweet): PagePosition => [createdAt, id, relevance ?? 0];

interface Search {
  readonly db: Db;
  readonly folding: TextFolding;
  readonly conditions: SearchConditions;
  readonly after: PagePosition | undefined;
  readonly limit: number;
  readonly bounds: SearchBounds;
}

/** Finds tweets by relevance if there are words, else newest first. */
function findTweets(search: Search): FoundTweet[] {
  const { db, folding, after, bounds } = search;
  const conditions =
    search.conditions.phrases.length > 0 ? search.conditions : restrictToPosition(search.conditions, after);
  const authors = new Set(conditions.authors.map((screenName) => findAuthorId(db, screenName)));
  if (authors.size > 1 || authors.has(undefined) || conditions.from >= conditions.to) return [];
  const [author] = authors;
  const timeSource = createTimeSource(conditions, author, bounds);
  const sources = [
    ...conditions.hashtags.map((tag) =>
      createReferenceSource(tweetHashtags, inArray(tweetHashtags.tag, folding.tagsOf(tag)), bounds),
    ),
    ...conditions.mentions.map((screenName) =>
      createReferenceSource(tweetMentions, eq(tweetMentions.screenName, screenName), bounds),
    ),
    ...(author === undefined && !conditions.hasWindow ? [] : [timeSource]),
  ];
  return db.all<FoundTweet>(
    conditions.phrases.length > 0
      ? queryByRelevance(search, sources)
      : queryByTime(search, sources.length > 0 ? sources : [timeSource]),
  );
}

/** Restricts the time range of a search by time to the rest of the list. */
const restrictToPosition = (
  conditions: SearchConditions,
  [createdAt = conditions.to]: PagePosition = [],
): SearchConditions => ({
  ...conditions,
  to: Math.min(conditions.to, createdAt + 1),
});

/** Reads the full-text index, restricted by the narrowest other condition. */
function queryByRelevance(search: Search, sources: readonly Source[]): SQL {
  const { db, folding, conditions, after, limit, bounds } = search;
  const match = sql`tweets_fts match ${folding.match(conditions.phrases)}`;
  const source = findNarrowest(db, sources, bounds);
  const filters = filtersBeside(source, sources, search);
  let restriction: SQL | undefined;
  // The plus prevents one full-text look-up per tweet, at up to a millisecond each.
  if (source) restriction = sql`+tweets_fts.rowid in (select id from (${source.rows}))`;
  else if (filters.length > 0)
    restriction = sql`tweets_fts.rowid >= coalesce(
      (select rowid from tweets_fts where ${match} order by rowid desc limit 1 offset ${bounds.maxExamined}), 0)`;
  return sql`
    select id, created_at as "createdAt", relevance from (
      select ${tweets.id} as id, ${tweets.createdAt} as created_at, bm25(tweets_fts) as relevance
      from tweets_fts cross join ${tweets} on ${tweets.id} = tweets_fts.rowid
      where ${and(match, restriction, isNotNull(tweets.createdAt), isNotDeleted, ...filters)}
      order by tweets_fts.rowid desc limit ${bounds.maxRanked}
    ) ${after ? followsPosition(after, match) : sql``} order by relevance, created_at desc, id desc limit ${limit}`;
}

/**
 * The condition for tweets after a position. Relevance depends on the frequency of words in the whole store and changes
 * with every stored tweet, so that of the position is computed again if possible.
 */
function followsPosition([createdAt, id, relevance]: PagePosition, match: SQL): SQL {
  // Numbers are bound as floats, for which FTS5 ignores a condition on rowid.
  const currentRelevance = sql`(select bm25(tweets_fts) from tweets_fts where ${match} and tweets_fts.rowid = cast(${id} as integer))`;
  return sql`where (relevance, -created_at, -id) > (coalesce(${currentRelevance}, ${relevance}), ${-createdAt!}, ${-id!})`;
}

/** Reads the tweets of the narrowest condition, newest first. */
function queryByTime(search: Search, sources: readonly Source[]): SQL {
  const { db, after, limit, bounds } = search;
  const source = (sources.length > 1 ? findNarrowest(db, sources, bounds) : undefined) ?? sources.at(-1)!;
  const filters = filtersBeside(source, sources, search);
  const below = after && sql`(${tweets.createdAt}, ${tweets.id}) < (${after[0]}, ${after[1]})`;
  return sql`
    select source.id as id, ${tweets.createdAt} as "createdAt", null as relevance
    from (${source.rows}) as source cross join ${tweets} on ${tweets.id} = source.id
    where ${and(isNotNull(tweets.createdAt), isNotDeleted, below, ...filters)}
    order by ${source.order} limit ${limit}`;
}

/** Returns the conditions that a query adds to its source: those of the other sources, and the literals. */
const filtersBeside = (
  source: Source | undefined,
  sources: readonly Source[],
  { conditions, folding }: Search,
): SQL[] => [
  ...sources.filter((other) => other !== source).map(({ condition }) => condition),
  ...conditions.literals.map(folding.contains),
];

/** Returns the source with the fewest rows; undefined if all have `maxExamined` or more. */
function findNarrowest(db: Db, sources: readonly Source[], { maxExamined }: SearchBounds): Source | undefined {
  let found: Source | undefined;
  let fewest = maxExamined;
  for (const source of sources) {
    const { size } = db.get<{ size: number }>(
      sql`select count(*) as size from (select id from (${source.rows}) limit ${fewest})`,
    );
    if (size < fewest) [found, fewest] = [source, size];
  }
  return found;
}

function createTimeSource(
  { from, to }: SearchConditions,
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

function createReferenceSource(
  table: typeof tweetHashtags | typeof tweetMentions,
  to: SQL,
  { maxExamined }: SearchBounds,
): Source {
  return {
    // A tweet can contain several spellings of a hashtag.
    rows: sql`select distinct tweet_id as id from ${table} where ${to} order by tweet_id desc limit ${maxExamined}`,
    order: sql`${tweets.createdAt} desc, ${tweets.id} desc`,
    condition: sql`exists (select 1 from ${table} where ${to} and ${table.tweetId} = ${tweets.id})`,
  };
}

/** Returns the account with the handle as given, else with its NFKC form. Accents are significant. */
function findAuthorId(db: Db, screenName: string): number | undefined {
  const findHolder = (handle: string) => db.select({ id: users.id }).from(users).where(lastHolderOf(handle)).get()?.id;
  return findHolder(screenName) ?? findHolder(screenName.normalize('NFKC'));
}
