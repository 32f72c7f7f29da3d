import { eq, sql } from 'drizzle-orm';
import type { UserSummary } from '../../../service/contract/resources.ts';
import { users } from '../../../store/schema/tables.ts';
import { createStateReader } from '../../../store/sqlite/change-detector.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { compileStatement } from '../../../store/sqlite/statement.ts';
import { createStateCache } from '../byte-cache.ts';
import { countJson, flagJson, objectJson, textJson } from './json-text.ts';

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
export function createUserEntries(db: Db, cacheBytes: number) {
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
