import { inArray, sql } from 'drizzle-orm';
import type { TextRange } from '#base/search-text.ts';
import { foldHandle } from '#base/text.ts';
import { users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createHighlighter } from './highlight.ts';
import type { SearchBounds } from './indexed-conditions.ts';
import type { HiddenState, Ranking, RankingOptions } from './ranking.ts';
import { checkQueryLength, parseFind, termsOfKind, type SearchTerm } from './search-query.ts';
import { createUserSearch, type USER_ORDERS } from './user-search-sql.ts';

/** The texts of an account that are searched. */
type SearchedText = 'screenName' | 'name' | 'description';

/** A found account, with the parts of its texts that match. Times are milliseconds UTC. */
export type UserResult = ReturnType<typeof readUsers>[number] & {
  readonly state: HiddenState | null;
  readonly highlights: Readonly<Record<SearchedText, readonly TextRange[]>>;
};

export interface UserResults extends Ranking {
  /** Best first. */
  readonly results: readonly UserResult[];
}

export interface FindUsersOptions extends RankingOptions<keyof typeof USER_ORDERS> {
  readonly bounds?: SearchBounds | undefined;
}

/**
 * Ranks the accounts whose handle, name or biography match a search (`docs/find.md`).
 * @throws SearchError for one that is too long
 */
export function rankUsers(db: Db, query: string, { bounds, ...options }: FindUsersOptions): Ranking {
  checkQueryLength(query);
  return createUserSearch(db, bounds).rank(parseFind(query, { isForUsers: true }), options);
}

/** `rankUsers`, with the accounts and what matches in them. */
export function findUsers(db: Db, query: string, options: FindUsersOptions): UserResults {
  const ranking = rankUsers(db, query, options);
  const terms = parseFind(query, { isForUsers: true });
  const highlight = createHighlighter(terms);
  const highlightHandle = createHandleHighlighter(terms);
  const found = new Map(readUsers(db, ranking.ids).map((user) => [user.id, user]));
  const results = ranking.ids.flatMap((id) => found.get(id) ?? []);
  return {
    ...ranking,
    results: results.map((user) => ({
      ...user,
      state: ranking.states.get(user.id) ?? null,
      highlights: {
        screenName: highlightHandle(user.screenName) ?? highlight(user.screenName),
        name: highlight(user.name),
        description: highlight(user.description),
      },
    })),
  };
}

/** Highlights a whole handle that was searched; undefined for any other. */
function createHandleHighlighter(terms: readonly SearchTerm[]): (handle: string | null) => TextRange[] | undefined {
  const sought = new Set(termsOfKind(terms, 'handle').map(({ screenName }) => foldHandle(screenName)));
  return (handle) =>
    handle !== null && sought.has(foldHandle(handle)) ? [{ start: 0, end: handle.length }] : undefined;
}

const readUsers = (db: Db, ids: readonly number[]) =>
  db
    .select({
      id: users.id,
      restId: users.restId,
      screenName: users.screenName,
      name: users.name,
      description: users.description,
      followersCount: users.followersCount,
      statusesCount: users.statusesCount,
      createdAt: users.createdAt,
    })
    .from(users)
    .where(inArray(users.id, sql`(select value from json_each(${JSON.stringify(ids)}))`))
    .all();

/** Counts the accounts that a search does not find yet: they are indexed when the crawl that found them ends or pauses. */
export const countUnindexedUsers = (db: Db): number =>
  db.get<{ n: number }>(
    sql`select count(*) as n from ${users} where ${users.id} > coalesce((select max(id) from users_fts_docsize), 0)`,
  ).n;
