import { type SQL, sql, type SQLWrapper } from 'drizzle-orm';
import type { Db } from '#store/sqlite/database.ts';

/** Why an answer may lack matches. `ranked`: more rows match than are ranked. `read`: more rows than are read have to be. */
export type SearchLimit = 'ranked' | 'read';

/** Why a result is left out unless it is asked for: the service reports the tweet as deleted, or no longer shows the account. */
export type HiddenState = 'deleted' | 'account_unavailable';

export interface RankingOptions<Order extends string> {
  readonly order: Order;
  /** The maximum number of results. */
  readonly limit: number;
  /** Whether deleted tweets, and those of accounts that the service no longer shows, are results. */
  readonly includeHidden: boolean;
}

/** The best matches, and the numbers of all that were ranked. */
export interface Ranking {
  /** Internal ids, best first. */
  readonly ids: readonly number[];
  /** Why results would be left out, by id. */
  readonly states: ReadonlyMap<number, HiddenState>;
  /** The number of results without a limit; at least that many if `limits` is not empty. */
  readonly matched: number;
  /** The matches that are left out, or that are included only because they were asked for. */
  readonly hidden: { readonly deletedTweets: number; readonly unavailableAccounts: number };
  readonly limits: readonly SearchLimit[];
}

/** The answer to a search that nothing can match. */
export const NO_MATCHES: Ranking = {
  ids: [],
  states: new Map(),
  matched: 0,
  limits: [],
  hidden: {
    deletedTweets: 0,
    unavailableAccounts: 0,
  },
};

interface RankedRows extends Omit<RankingOptions<string>, 'order'> {
  /** Selects at most `maxRanked` matches: `id`, `state` (a HiddenState or null) and the columns of the order. */
  readonly matches: SQL;
  readonly order: SQL;
  readonly maxRanked: number;
}

/** Reads the best matches, and counts all, in one statement. */
export function readRanking(db: Db, { matches, order, limit, includeHidden, maxRanked }: RankedRows): Ranking {
  const rows = db.all<{
    all: number;
    tweets: number;
    accounts: number;
    id: number | null;
    state: HiddenState | null;
  }>(sql`
    with matches as materialized (${matches})
    select counts."all", counts.tweets, counts.accounts, page.id, page.state from (
      select count(*) as "all", coalesce(sum(state = 'deleted'), 0) as tweets,
        coalesce(sum(state = 'account_unavailable'), 0) as accounts from matches
    ) counts left join (
      select * from matches ${includeHidden ? sql`` : sql`where state is null`} order by ${order} limit ${limit}
    ) page order by ${order}`);
  const { all, tweets: deletedTweets, accounts: unavailableAccounts } = rows[0]!;
  return {
    ids: rows.flatMap(({ id }) => id ?? []),
    states: new Map(rows.flatMap(({ id, state }) => (id === null || state === null ? [] : [[id, state] as const]))),
    matched: includeHidden ? all : all - deletedTweets - unavailableAccounts,
    hidden: { deletedTweets, unavailableAccounts },
    limits: all === maxRanked ? ['ranked'] : [],
  };
}

/** Whether the service answered 404 for an account (`v_unavailable_accounts`); false without an account. */
export const isUnavailable = (userId: SQLWrapper): SQL =>
  sql`coalesce(${userId} in (select u.id from v_unavailable_accounts v join users u on u.rest_id = v.rest_id), 0)`;
