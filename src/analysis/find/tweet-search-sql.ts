import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import { isDeleted, isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { lastHolderOf } from '#store/last-handle-holder.ts';
import { tweetHashtags, tweetMentions, tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import {
  countIds,
  createReferenceSource,
  createTimeSource,
  DEFAULT_BOUNDS,
  extendSource,
  findFurther,
  findNarrowest,
  type SearchBounds,
  type Source,
} from './indexed-conditions.ts';
import {
  isUnavailable,
  NO_MATCHES,
  readRanking,
  type Ranking,
  type RankingOptions,
  type SearchLimit,
} from './ranking.ts';
import { createTagFolding, createTextFolding, type TextFolding } from './search-folding.ts';
import { combineTerms, type SearchConditions, type SearchTerm } from './search-query.ts';

export interface FoundTweet {
  readonly id: number;
  readonly createdAt: number;
  /** Lower is more relevant; null in a search by time. */
  readonly relevance: number | null;
}

/** The last tweet before a page: its time, its id and its relevance. */
export type SearchPosition = readonly number[];

export const positionOf = ({ id, createdAt, relevance }: FoundTweet): SearchPosition => [createdAt, id, relevance ?? 0];

/** The orders of found tweets. */
export const TWEET_ORDERS = {
  relevance: sql`relevance, created_at desc, id desc`,
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at, id`,
  likes: sql`favorite_count desc, created_at desc, id desc`,
} as const;

/** Prepares the search for tweets and replies that match all terms. Too many terms are a SearchError. */
export function createTweetSearch(db: Db, bounds: SearchBounds = DEFAULT_BOUNDS) {
  const folding = createTextFolding(db, { index: 'tweets_fts', columns: [tweets.text] });
  const tagsOf = createTagFolding(db);
  const prepare = (conditions: SearchConditions): Search | undefined => {
    const sources = listSources(db, conditions, tagsOf, bounds);
    return sources && { db, folding, conditions, sources, bounds };
  };
  return {
    /** Finds a page of the tweets that are not deleted: by relevance if there are words, else newest first. */
    findPage(terms: readonly SearchTerm[], after: SearchPosition | undefined, limit: number): FoundTweet[] {
      const conditions = combineTerms(terms);
      if (!conditions) return [];
      if (conditions.phrases.length > 0) {
        const search = prepare(conditions);
        return search ? pageByRelevance(search, after, limit) : [];
      }
      const search = prepare(restrictToPosition(conditions, after));
      return search ? pageByTime(search, after, limit) : [];
    },

    /** Ranks all matches, deleted ones included, and counts them. `relevance` without words is `newest`. */
    rank(terms: readonly SearchTerm[], options: RankingOptions<keyof typeof TWEET_ORDERS>): Ranking {
      const conditions = combineTerms(terms);
      const search = conditions && prepare(conditions);
      if (!search) return NO_MATCHES;
      const hasWords = search.conditions.phrases.length > 0;
      const order = options.order === 'relevance' && !hasWords ? 'newest' : options.order;
      const { from, readingOrder, limit } = hasWords ? matchWords(search) : matchByTime(search, { isExtended: true });
      const relevance = order === 'relevance' ? sql`bm25(tweets_fts)` : sql`null`;
      const matches = sql`select ${tweets.id} as id, ${tweets.createdAt} as created_at,
        ${tweets.favoriteCount} as favorite_count, ${relevance} as relevance,
        case when ${isDeleted} then 'deleted' when ${isUnavailable(tweets.authorId)} then 'account_unavailable' end as state
        ${from([])} order by ${readingOrder} limit ${bounds.maxRanked}`;
      const ranking = readRanking(db, { ...options, ...bounds, matches, order: TWEET_ORDERS[order] });
      return { ...ranking, limits: limit === undefined ? ranking.limits : [limit, ...ranking.limits] };
    },
  };
}

interface Search {
  readonly db: Db;
  readonly folding: TextFolding;
  readonly conditions: SearchConditions;
  /** The conditions with an index of their own, besides words. */
  readonly sources: readonly Source[];
  readonly bounds: SearchBounds;
}

/** The rows that match all conditions. */
interface MatchingRows {
  /** Returns `from … where …`, with further conditions. */
  readonly from: (more: readonly (SQL | undefined)[]) => SQL;
  /** The order of an index, in which the rows are read. */
  readonly readingOrder: SQL;
  /** Why rows may be missing. */
  readonly limit?: SearchLimit | undefined;
}

/** Returns the conditions with an index, without words; undefined if no tweet can match them. */
function listSources(
  db: Db,
  conditions: SearchConditions,
  tagsOf: (tag: string) => string[],
  bounds: SearchBounds,
): readonly Source[] | undefined {
  const authors = new Set(conditions.authors.map((screenName) => findAuthorId(db, screenName)));
  if (authors.size > 1 || authors.has(undefined) || conditions.from >= conditions.to) return undefined;
  const [author] = authors;
  const isRestricted = author !== undefined || conditions.hasWindow;
  const references = [
    ...conditions.hashtags.map((tag) =>
      createReferenceSource(tweetHashtags, inArray(tweetHashtags.tag, tagsOf(tag)), bounds),
    ),
    ...conditions.mentions.map((screenName) =>
      createReferenceSource(tweetMentions, eq(tweetMentions.screenName, screenName), bounds),
    ),
  ];
  const isNeeded = isRestricted || (conditions.phrases.length === 0 && references.length === 0);
  return [...references, ...(isNeeded ? [createTimeSource(conditions, author, bounds)] : [])];
}

/** Restricts the time range of a search by time to the rest of the list. */
const restrictToPosition = (
  conditions: SearchConditions,
  [createdAt = conditions.to]: SearchPosition = [],
): SearchConditions => ({
  ...conditions,
  to: Math.min(conditions.to, createdAt + 1),
});

/** The rows that match words, and the condition on the index for their candidates. */
interface MatchingWords extends MatchingRows {
  readonly match: SQL;
}

/** Reads the full-text index, restricted by the narrowest other condition. */
function matchWords(search: Search): MatchingWords {
  const { db, folding, conditions, sources, bounds } = search;
  const words = folding.match(conditions.phrases);
  const match = sql`tweets_fts match ${words.tokens}`;
  const source = findNarrowest(db, sources, bounds);
  const filters = filtersBeside(source, search);
  let restriction: SQL | undefined;
  let limit: MatchingRows['limit'];
  // The plus prevents one full-text look-up per tweet, at up to a millisecond each.
  if (source) restriction = sql`+tweets_fts.rowid in (select id from (${source.rows}))`;
  else if (filters.length > 0 || words.isBroad) {
    const last = db.get<{ id: number } | undefined>(
      sql`select rowid as id from tweets_fts where ${match} order by rowid desc limit 1 offset ${bounds.maxExamined}`,
    );
    // Numbers are bound as floats, for which FTS5 ignores a condition on rowid.
    if (last) {
      const further = findFurther(db, folding, { literals: conditions.literals, words: words.tokens }, bounds);
      restriction = sql`tweets_fts.rowid >= cast(${last.id} as integer)`;
      if (further) restriction = sql`(${restriction} or +tweets_fts.rowid in (${further.rows}))`;
      limit = further?.limit ?? 'read';
    }
  }
  return {
    match,
    from: (more) => sql`from tweets_fts cross join ${tweets} on ${tweets.id} = tweets_fts.rowid
      where ${and(match, restriction, isNotNull(tweets.createdAt), ...more, ...filters, ...words.conditions)}`,
    readingOrder: sql`tweets_fts.rowid desc`,
    limit,
  };
}

function pageByRelevance(search: Search, after: SearchPosition | undefined, limit: number): FoundTweet[] {
  const { db, bounds } = search;
  const { match, from, readingOrder } = matchWords(search);
  return db.all<FoundTweet>(sql`
    select id, created_at as "createdAt", relevance from (
      select ${tweets.id} as id, ${tweets.createdAt} as created_at, bm25(tweets_fts) as relevance
      ${from([isNotDeleted])} order by ${readingOrder} limit ${bounds.maxRanked}
    ) ${after ? followsPosition(after, match) : sql``} order by ${TWEET_ORDERS.relevance} limit ${limit}`);
}

/**
 * The condition for tweets after a position. Relevance depends on the frequency of words in the whole store and changes
 * with every stored tweet, so that of the position is computed again if possible.
 */
function followsPosition([createdAt, id, relevance]: SearchPosition, match: SQL): SQL {
  // Numbers are bound as floats, for which FTS5 ignores a condition on rowid.
  const currentRelevance = sql`(select bm25(tweets_fts) from tweets_fts where ${match} and tweets_fts.rowid = cast(${id} as integer))`;
  return sql`where (relevance, -created_at, -id) > (coalesce(${currentRelevance}, ${relevance}), ${-createdAt!}, ${-id!})`;
}

/**
 * Reads the tweets of the narrowest condition, newest first. `isExtended` also reads tweets beyond the limits that have the
 * characters of the text, in a script without spaces.
 */
function matchByTime(search: Search, { isExtended }: { readonly isExtended: boolean }): MatchingRows {
  const { db, folding, conditions, sources, bounds } = search;
  const narrowest = (sources.length > 1 ? findNarrowest(db, sources, bounds) : undefined) ?? sources.at(-1)!;
  const isBounded = isExtended && countIds(db, narrowest.rows, bounds.maxExamined) === bounds.maxExamined;
  const further = isBounded ? findFurther(db, folding, conditions, bounds) : undefined;
  const source = further ? extendSource(narrowest, further) : narrowest;
  // Further rows have to match the narrowest condition, too.
  const filters = filtersBeside(further ? undefined : narrowest, search);
  return {
    from: (more) => sql`from (${source.rows}) as source cross join ${tweets} on ${tweets.id} = source.id
      where ${and(isNotNull(tweets.createdAt), ...more, ...filters)}`,
    readingOrder: source.order,
    limit: isBounded ? (further?.limit ?? 'read') : undefined,
  };
}

/** Reads the newest tweets first; only if too few of them match, also those that an index finds. */
function pageByTime(search: Search, after: SearchPosition | undefined, limit: number): FoundTweet[] {
  const { db, folding, conditions } = search;
  const below = after && sql`(${tweets.createdAt}, ${tweets.id}) < (${after[0]}, ${after[1]})`;
  const read = ({ from, readingOrder }: MatchingRows): FoundTweet[] =>
    db.all<FoundTweet>(sql`
      select source.id as id, ${tweets.createdAt} as "createdAt", null as relevance
      ${from([isNotDeleted, below])} order by ${readingOrder} limit ${limit}`);
  const found = read(matchByTime(search, { isExtended: false }));
  if (found.length === limit || folding.matchCharacters(conditions.literals) === undefined) return found;
  const extended = matchByTime(search, { isExtended: true });
  return extended.limit === undefined ? found : read(extended);
}

/** Returns the conditions that a query adds to its source: those of the other sources, and the literals. */
const filtersBeside = (source: Source | undefined, { sources, conditions, folding }: Search): SQL[] => [
  ...sources.filter((other) => other !== source).map(({ condition }) => condition),
  ...conditions.literals.map(folding.contains),
];

/** Returns the account with the handle as given, else with its NFKC form. Accents are significant. */
export function findAuthorId(db: Db, screenName: string): number | undefined {
  const findHolder = (handle: string) => db.select({ id: users.id }).from(users).where(lastHolderOf(handle)).get()?.id;
  return findHolder(screenName) ?? findHolder(screenName.normalize('NFKC'));
}
