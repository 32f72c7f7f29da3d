import { and, or, type SQL, sql } from 'drizzle-orm';
import { listSpellings } from '#base/text.ts';
import { isHolderOf } from '#store/last-handle-holder.ts';
import { users } from '#store/schema/tables.ts';
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
import { combineTerms, type SearchConditions, type SearchTerm } from './search-query.ts';

/** The orders of found accounts. */
export const USER_ORDERS = {
  relevance: sql`relevance, followers_count desc, id desc`,
  followers: sql`followers_count desc, id desc`,
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at is null, created_at, id`,
} as const;

/** The weights of a word in the handle, the name and the biography. */
const WEIGHTS = sql.raw('8, 8, 1');

/** Prepares the search for accounts by handle, name and biography. Too many terms are a SearchError. */
export function createUserSearch(db: Db, bounds: SearchBounds = DEFAULT_BOUNDS) {
  return {
    /** Ranks and counts all matches. `relevance` without words is `followers`. */
    rank(terms: readonly SearchTerm[], options: RankingOptions<keyof typeof USER_ORDERS>): Ranking {
      const conditions = combineTerms(terms);
      if (!conditions) return NO_MATCHES;
      const hasWords = conditions.texts.length > 0;
      const order = options.order === 'relevance' && !hasWords ? 'followers' : options.order;
      const { from, limit } = selectUsers(db, conditions, bounds);
      const relevance = order === 'relevance' ? sql`bm25(users_fts, ${WEIGHTS})` : sql`null`;
      const matches = sql`select ${users.id} as id, ${users.createdAt} as created_at,
        ${users.followersCount} as followers_count, ${relevance} as relevance,
        case when ${isUnavailable(users.id)} then 'account_unavailable' end as state
        ${from} limit ${bounds.maxRanked}`;
      const ranking = readRanking(db, { ...options, ...bounds, matches, order: USER_ORDERS[order] });
      return { ...ranking, limits: limit === undefined ? ranking.limits : [limit, ...ranking.limits] };
    },
  };
}

/** The accounts that match all conditions, those stored last first: `from … where … order by …`. */
interface MatchingUsers {
  readonly from: SQL;
  readonly limit?: SearchLimit | undefined;
}

/** Reads the full-text index, of the holders of a handle if there is one; without words these, else the accounts stored last. */
function selectUsers(db: Db, conditions: SearchConditions, bounds: SearchBounds): MatchingUsers {
  const { handles, texts } = conditions;
  const excluded = excludeTexts('users_fts', sql`${users.id}`, conditions);
  const holders = and(...handles.map(hasHandle));
  if (texts.length > 0) {
    const { condition, limit } = restrictMatches(db, 'users_fts', texts, {
      within: holders && sql`select ${users.id} from ${users} where ${holders}`,
      isFiltered: excluded.length > 0,
      bounds,
    });
    return {
      from: sql`from users_fts cross join ${users} on ${users.id} = users_fts.rowid
        where ${and(condition, ...excluded)} order by users_fts.rowid desc`,
      limit,
    };
  }
  const latest = sql`select id from ${users} order by id desc limit ${bounds.maxExamined}`;
  return {
    from: sql`from ${users} where ${and(holders ?? sql`${users.id} in (${latest})`, ...excluded)} order by ${users.id} desc`,
    limit: !holders && isBeyond(db, latest, bounds) ? 'read' : undefined,
  };
}

/** The condition that an account has a handle now, in any case. */
const hasHandle = (handle: string): SQL => or(...listSpellings(handle).map(isHolderOf))!;
