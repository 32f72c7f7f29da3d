import { and, or, type SQL, sql } from 'drizzle-orm';
import { listSpellings } from '#base/text.ts';
import { isHolderOf } from '#store/last-handle-holder.ts';
import { users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { countIds, DEFAULT_BOUNDS, findFurther, type SearchBounds } from './indexed-conditions.ts';
import {
  isUnavailable,
  NO_MATCHES,
  readRanking,
  type Ranking,
  type RankingOptions,
  type SearchLimit,
} from './ranking.ts';
import { createTextFolding, type TextFolding } from './search-folding.ts';
import { combineTerms, type SearchConditions, type SearchTerm } from './search-query.ts';

/** The orders of found accounts. */
export const USER_ORDERS = {
  relevance: sql`relevance, followers_count desc, id desc`,
  followers: sql`followers_count desc, id desc`,
  newest: sql`created_at desc, id desc`,
  oldest: sql`created_at is null, created_at, id`,
} as const;

/** The weights of a word in the handle, the name, the biography, and the characters of all three. */
const WEIGHTS = sql.raw('8, 8, 1, 1');

/** Prepares the search for accounts by handle, name and biography. Too many terms are a SearchError. */
export function createUserSearch(db: Db, bounds: SearchBounds = DEFAULT_BOUNDS) {
  const columns = [users.screenName, users.name, users.description];
  const folding = createTextFolding(db, { index: 'users_fts', columns });
  return {
    /** Ranks and counts all matches. `relevance` without words is `followers`. */
    rank(terms: readonly SearchTerm[], options: RankingOptions<keyof typeof USER_ORDERS>): Ranking {
      const conditions = combineTerms(terms);
      if (!conditions) return NO_MATCHES;
      const hasWords = conditions.phrases.length > 0;
      const order = options.order === 'relevance' && !hasWords ? 'followers' : options.order;
      const { from, limit } = selectUsers({ db, folding, conditions, bounds });
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

interface UserSearch {
  readonly db: Db;
  readonly folding: TextFolding;
  readonly conditions: SearchConditions;
  readonly bounds: SearchBounds;
}

/** The accounts that match all conditions, those stored last first: `from … where … order by …`. */
interface MatchingUsers {
  readonly from: SQL;
  readonly limit?: SearchLimit | undefined;
}

/** Reads the holders of a handle, else the full-text index, else the accounts stored last. */
function selectUsers(search: UserSearch): MatchingUsers {
  const { folding, conditions } = search;
  const { handles, phrases, literals } = conditions;
  const filters = [...handles.map(hasHandle), ...literals.map(folding.contains)];
  if (phrases.length > 0) return selectByWords(search, filters);
  const newest = sql`${users.id} desc`;
  if (handles.length > 0) return { from: sql`from ${users} where ${and(...filters)} order by ${newest}` };
  return selectByText(search, filters);
}

function selectByWords({ db, folding, conditions, bounds }: UserSearch, filters: readonly SQL[]): MatchingUsers {
  const { phrases, handles, literals } = conditions;
  const words = folding.match(phrases);
  const match = sql`users_fts match ${words.tokens}`;
  let restriction: SQL | undefined;
  let limit: SearchLimit | undefined;
  // The plus prevents one full-text look-up per account.
  if (handles.length > 0)
    restriction = sql`+users_fts.rowid in (select ${users.id} from ${users} where ${and(...handles.map(hasHandle))})`;
  else if (filters.length > 0 || words.isBroad) {
    const last = db.get<{ id: number } | undefined>(
      sql`select rowid as id from users_fts where ${match} order by rowid desc limit 1 offset ${bounds.maxExamined}`,
    );
    if (last) {
      const further = findFurther(db, folding, { literals, words: words.tokens }, bounds);
      restriction = sql`users_fts.rowid >= cast(${last.id} as integer)`;
      if (further) restriction = sql`(${restriction} or +users_fts.rowid in (${further.rows}))`;
      limit = further?.limit ?? 'read';
    }
  }
  return {
    from: sql`from users_fts cross join ${users} on ${users.id} = users_fts.rowid
      where ${and(match, restriction, ...filters, ...words.conditions)} order by users_fts.rowid desc`,
    limit,
  };
}

/** Reads the accounts stored last; beyond the limit, those that have the characters of the text. */
function selectByText({ db, folding, conditions, bounds }: UserSearch, filters: readonly SQL[]): MatchingUsers {
  const latest = sql`select id from (select ${users.id} as id from ${users} order by id desc limit ${bounds.maxExamined})`;
  const isBounded = countIds(db, latest, bounds.maxExamined) === bounds.maxExamined;
  const further = isBounded ? findFurther(db, folding, conditions, bounds) : undefined;
  const rows = further ? sql`${latest} union select id from (${further.rows})` : latest;
  return {
    from: sql`from (${rows}) as source cross join ${users} on ${users.id} = source.id
      where ${and(...filters)} order by ${users.id} desc`,
    limit: isBounded ? (further?.limit ?? 'read') : undefined,
  };
}

/** The condition that an account has a handle now, in any case. */
const hasHandle = (handle: string): SQL => or(...listSpellings(handle).map(isHolderOf))!;
