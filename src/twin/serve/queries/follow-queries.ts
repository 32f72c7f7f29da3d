import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { UserSummary } from '#service/contract/resources.ts';
import { follows, users } from '#store/schema/tables.ts';
import { createStateReader } from '#store/sqlite/change-detector.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, limitPlaceholder } from '#store/sqlite/statement.ts';
import { createStateCache } from '#twin/serve/byte-cache.ts';
import { countJson, flagJson, objectJson, textJson } from './json-text.ts';
import type { PagePosition } from './served-cursors.ts';

/** The given and the listed end of an edge, and the order by the index of the given end. */
const EDGE_COLUMNS = {
  followers: { given: follows.followeeId, listed: follows.followerId, position: follows.id },
  following: { given: follows.followerId, listed: follows.followeeId, position: follows.followeeId },
};

/** Below every id. */
const START: PagePosition = [0];
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Prepares the queries of edges that have not ended: followers in the order in which the edges were stored, followed
 * accounts in the order in which the accounts were stored.
 * @param cacheBytes the size of the cache of listed users
 */
export function createFollowQueries(db: Db, cacheBytes = DEFAULT_CACHE_BYTES) {
  const readEntries = createUserEntries(db, cacheBytes);
  const pageOf = (list: keyof typeof EDGE_COLUMNS) => {
    const { given, listed, position } = EDGE_COLUMNS[list];
    const from = (columns: Record<string, SQL.Aliased>) =>
      db
        .select(columns)
        .from(follows)
        .where(
          and(eq(given, sql.placeholder('userId')), gt(position, sql.placeholder('after')), isNull(follows.endedAt)),
        )
        .orderBy(position)
        .limit(limitPlaceholder('limit'));
    const rows = from({ listed: sql`${listed}`.as('listed'), position: sql`${position}`.as('position') }).as('page');
    const page = compileStatement(
      db.select({ ids: sql`json_group_array(${rows['listed']})`, last: sql`max(${rows['position']})` }).from(rows),
    );
    const findNext = compileStatement(from({ position: sql`${position}`.as('position') }));
    /**
     * Returns the entries (`createUserEntries`) and the start of the next page if there is one. Run it in a transaction.
     */
    return (userId: number, after: PagePosition = START, limit: number) => {
      const [listedIds, last] = page.get({ userId, after: after[0], limit }) as [string, number];
      const ids = JSON.parse(listedIds) as number[];
      // Another row means another page.
      const hasNext = ids.length === limit && findNext.get({ userId, after: last, limit: 1 }) !== undefined;
      return { entries: readEntries(ids), next: hasNext ? [last] : undefined };
    };
  };
  return { followers: pageOf('followers'), following: pageOf('following') };
}

/** A user as an entry of a list (spec, "User summary object"). */
const entry = objectJson<{ entryId: string; sortIndex: string; content: { user: UserSummary } }>({
  entryId: textJson(sql`'user-' || ${users.restId}`),
  sortIndex: textJson(users.restId),
  content: {
    user: {
      id: textJson(users.restId),
      rest_id: textJson(users.restId),
      name: textJson(users.name),
      screen_name: textJson(users.screenName),
      profile_image_url: textJson(users.profileImageUrl),
      description: textJson(users.description),
      followers_count: countJson(users.followersCount),
      following_count: countJson(users.followingCount),
      verified: flagJson(users.verified),
    },
  },
});

/** Between entries in a result of SQLite: JSON contains no bare newline. */
const NEWLINE = 0x0a;
const COMMA_BYTES = 1;

/**
 * Prepares the reading of users as JSON entries. Entries are cached while the store is unchanged, since users are in
 * several lists.
 * @param cacheBytes the size of the cache
 */
function createUserEntries(db: Db, cacheBytes: number) {
  const cache = createStateCache<number>(cacheBytes);
  const readState = createStateReader(db);
  const statement = compileStatement(
    db
      .select({
        ids: sql`json_group_array(${users.id})`,
        // A comma precedes each entry, so that cached and read entries can be mixed.
        entries: sql`cast(concat(',', group_concat(${entry}, char(10, 44))) as blob)`,
      })
      .from(sql`json_each(${sql.placeholder('ids')})`)
      .innerJoin(users, eq(users.id, sql`value`)),
  );

  /**
   * Returns the entries of users in the order of `ids`, with commas between them; users that are not stored are left
   * out. Run it in a transaction.
   */
  return (ids: readonly number[]): Buffer[] => {
    cache.beginRead(readState());
    const entries = ids.map((id) => cache.find(id));
    const missing = ids.filter((_, index) => entries[index] === undefined);
    if (missing.length > 0) {
      const read = readEntries(missing);
      ids.forEach((id, index) => (entries[index] ??= read.get(id)));
    }
    const stored = entries.filter((bytes) => bytes !== undefined);
    return stored.map((bytes, index) => (index === 0 ? bytes.subarray(COMMA_BYTES) : bytes));
  };

  function readEntries(ids: readonly number[]): ReadonlyMap<number, Buffer> {
    const [found, json] = statement.get({ ids: JSON.stringify(ids) }) as [string, Buffer];
    const read = new Map<number, Buffer>();
    let start = 0;
    for (const id of JSON.parse(found) as number[]) {
      const newline = json.indexOf(NEWLINE, start);
      const bytes = json.subarray(start, newline === -1 ? json.length : newline);
      read.set(id, bytes);
      // A copy, since a part would keep all of the result.
      cache.store(id, Buffer.from(bytes));
      start += bytes.length + 1;
    }
    return read;
  }
}
