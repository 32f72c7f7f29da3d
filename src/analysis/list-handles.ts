import type { Db } from '../store/sqlite/database.ts';

/** The numbers of rows that are read, so that the time does not grow with the store. */
const [MAX_CRAWLS, MAX_USERS] = [2000, 2000];

interface HandleListOptions {
  readonly prefix: string;
  /** The kinds of crawls whose target is an account. */
  readonly kinds: readonly string[];
  readonly limit: number;
}

/**
 * Returns at most `limit` handles that begin with `prefix`, whatever its case: first those of recent crawls, then the accounts
 * with the most followers. Handles with characters that a shell may interpret are left out. Without a prefix, only handles
 * of crawls.
 */
export function listHandles({ $client }: Db, options: HandleListOptions): string[] {
  const { prefix, kinds, limit } = options;
  if (!/^\w*$/.test(prefix)) return [];
  const crawled = $client
    .prepare<[number, string], string>(
      `select handle from (select id, kind, parent_id, handle from crawls order by id desc limit ?)
       where parent_id is null and handle is not null and kind in (select value from json_each(?)) order by id desc`,
    )
    .pluck()
    .all(MAX_CRAWLS, JSON.stringify(kinds))
    .filter((handle) => handle.toLowerCase().startsWith(prefix.toLowerCase()));
  const others =
    prefix === ''
      ? []
      : $client
          .prepare<[string, string, number, number], string>(
            `select screen_name from (select screen_name, followers_count from users
               where screen_name collate nocase >= ? and screen_name collate nocase < ? limit ?)
             order by followers_count desc limit ?`,
          )
          .pluck()
          .all(prefix, `${prefix}\u{10FFFF}`, MAX_USERS, limit);
  const handles = new Map<string, string>();
  for (const handle of [...crawled, ...others]) {
    if (/^\w+$/.test(handle) && !handles.has(handle.toLowerCase())) handles.set(handle.toLowerCase(), handle);
  }
  return [...handles.values()].slice(0, limit);
}
