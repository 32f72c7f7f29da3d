import { and, eq, gte, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import { foldText } from '#base/text.ts';
import { isDeleted, isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { lastHolderOf } from '#store/last-handle-holder.ts';
import { tweetHashtags, tweetMentions, tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { DEFAULT_BOUNDS, excludeTexts, isBeyond, restrictMatches, type SearchBounds } from './indexed-conditions.ts';
import {
  isUnavailable,
  NO_MATCHES,
  readRanking,
  type Ranking,
  type RankingOptions,
  type SearchLimit,
} from './ranking.ts';
import { combineTerms, matchText, type SearchConditions, type SearchTerm } from './search-query.ts';

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
  db.$client.function('fold_text', { deterministic: true }, (text) => foldText(text as string));
  const prepare = (terms: readonly SearchTerm[], after?: SearchPosition): Search | undefined => {
    const conditions = combineTerms(terms);
    if (!conditions) return undefined;
    const authors = new Set(conditions.authors.map((screenName) => findAuthorId(db, screenName)));
    if (authors.size > 1 || authors.has(undefined) || conditions.from >= conditions.to) return undefined;
    const hasWords = conditions.texts.length > 0;
    // Without words, pages are in the order of time: the next one is the rest of the range.
    const to = after && !hasWords ? Math.min(conditions.to, after[0]! + 1) : conditions.to;
    return { db, conditions: { ...conditions, to }, author: [...authors][0], hasWords, bounds };
  };
  return {
    /** Finds a page of the tweets that are not deleted: by relevance if there are words, else newest first. */
    findPage(terms: readonly SearchTerm[], after: SearchPosition | undefined, limit: number): FoundTweet[] {
      const search = prepare(terms, after);
      if (!search) return [];
      return search.hasWords ? pageByRelevance(search, after, limit) : pageByTime(search, after, limit);
    },

    /** Ranks all matches, deleted ones included, and counts them. `relevance` without words is `newest`. */
    rank(terms: readonly SearchTerm[], options: RankingOptions<keyof typeof TWEET_ORDERS>): Ranking {
      const search = prepare(terms);
      if (!search) return NO_MATCHES;
      const order = options.order === 'relevance' && !search.hasWords ? 'newest' : options.order;
      const { from, findLimit, readingOrder } = selectTweets(search);
      const relevance = order === 'relevance' ? sql`bm25(tweets_fts)` : sql`null`;
      const matches = sql`select ${tweets.id} as id, ${tweets.createdAt} as created_at,
        ${tweets.favoriteCount} as favorite_count, ${relevance} as relevance,
        case when ${isDeleted} then 'deleted' when ${isUnavailable(tweets.authorId)} then 'account_unavailable' end as state
        ${from([])} order by ${readingOrder} limit ${bounds.maxRanked}`;
      const ranking = readRanking(db, { ...options, ...bounds, matches, order: TWEET_ORDERS[order] });
      const limit = findLimit();
      return { ...ranking, limits: limit === undefined ? ranking.limits : [limit, ...ranking.limits] };
    },
  };
}

interface Search {
  readonly db: Db;
  readonly conditions: SearchConditions;
  readonly author: number | undefined;
  /** Whether matches have a relevance. */
  readonly hasWords: boolean;
  readonly bounds: SearchBounds;
}

/** The tweets that match all conditions. */
interface MatchingTweets {
  /** Returns `from … where …`, with further conditions. */
  readonly from: (more: readonly (SQL | undefined)[]) => SQL;
  /** The order of an index, in which the rows are read. */
  readonly readingOrder: SQL;
  readonly newestFirst: SQL;
  /** Returns why rows may be missing. */
  readonly findLimit: () => SearchLimit | undefined;
  /** The FTS5 expression, if there are words. */
  readonly match?: SQL;
}

/** Reads the full-text index, of the tweets of an author and a time if they are few; without words, the newest tweets. */
function selectTweets({ db, conditions, author, bounds }: Search): MatchingTweets {
  const { texts, hashtags, mentions, from, to, hasWindow } = conditions;
  const isInTime = and(
    author === undefined ? undefined : eq(tweets.authorId, author),
    gte(tweets.createdAt, from),
    lt(tweets.createdAt, to),
  )!;
  const inTime = sql`select id, created_at from ${tweets} where ${isInTime}
    order by created_at desc, id desc limit ${bounds.maxExamined}`;
  const filters = [
    ...hashtags.map(hasHashtag),
    ...mentions.map(hasMention),
    ...excludeTexts('tweets_fts', sql`${tweets.id}`, conditions),
  ];
  // Entities are parts of the text.
  const expressions = [...texts, ...[...hashtags, ...mentions].flatMap((text) => matchText(text) ?? [])];
  if (expressions.length === 0) {
    // With this order SQLite needs no sort and stops at the end of a page.
    const order = sql`source.created_at desc, source.id desc`;
    return {
      from: (more) => sql`from (${inTime}) as source cross join ${tweets} on ${tweets.id} = source.id
        where ${and(isNotNull(tweets.createdAt), ...more, ...filters)}`,
      readingOrder: order,
      newestFirst: order,
      findLimit: () => (isBeyond(db, inTime, bounds) ? 'read' : undefined),
    };
  }
  const isRestricted = author !== undefined || hasWindow;
  const { match, condition, limit } = restrictMatches(db, 'tweets_fts', expressions, {
    within: isRestricted && !isBeyond(db, inTime, bounds) ? sql`select id from (${inTime})` : undefined,
    isFiltered: isRestricted || filters.length > 0,
    bounds,
  });
  return {
    match,
    from: (more) => sql`from tweets_fts cross join ${tweets} on ${tweets.id} = tweets_fts.rowid
      where ${and(condition, isRestricted ? isInTime : isNotNull(tweets.createdAt), ...more, ...filters)}`,
    readingOrder: sql`tweets_fts.rowid desc`,
    newestFirst: sql`${tweets.createdAt} desc, ${tweets.id} desc`,
    findLimit: () => limit,
  };
}

const hasHashtag = (folded: string): SQL =>
  sql`exists (select 1 from ${tweetHashtags} where ${tweetHashtags.tweetId} = ${tweets.id} and fold_text(tag) = ${folded})`;
const hasMention = (screenName: string): SQL =>
  sql`exists (select 1 from ${tweetMentions} where ${tweetMentions.tweetId} = ${tweets.id} and ${tweetMentions.screenName} = ${screenName})`;

function pageByRelevance(search: Search, after: SearchPosition | undefined, limit: number): FoundTweet[] {
  const { db, bounds } = search;
  const { match, from, readingOrder } = selectTweets(search);
  return db.all<FoundTweet>(sql`
    select id, created_at as "createdAt", relevance from (
      select ${tweets.id} as id, ${tweets.createdAt} as created_at, bm25(tweets_fts) as relevance
      ${from([isNotDeleted])} order by ${readingOrder} limit ${bounds.maxRanked}
    ) ${after ? followsPosition(after, match!) : sql``} order by ${TWEET_ORDERS.relevance} limit ${limit}`);
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

function pageByTime(search: Search, after: SearchPosition | undefined, limit: number): FoundTweet[] {
  const { from, newestFirst } = selectTweets(search);
  const below = after && sql`(${tweets.createdAt}, ${tweets.id}) < (${after[0]}, ${after[1]})`;
  return search.db.all<FoundTweet>(sql`
    select ${tweets.id} as id, ${tweets.createdAt} as "createdAt", null as relevance
    ${from([isNotDeleted, below])} order by ${newestFirst} limit ${limit}`);
}

/** Returns the account with the handle as given, else with its NFKC form. Accents are significant. */
export function findAuthorId(db: Db, screenName: string): number | undefined {
  const findHolder = (handle: string) => db.select({ id: users.id }).from(users).where(lastHolderOf(handle)).get()?.id;
  return findHolder(screenName) ?? findHolder(screenName.normalize('NFKC'));
}
