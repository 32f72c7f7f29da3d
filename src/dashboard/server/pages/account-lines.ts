import { readHolders, resolveHolder } from '#analysis/handle-holders.ts';
import type { AccountLine } from '#dashboard/server/api/accounts.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';
import type { Db } from '#store/sqlite/database.ts';

const SELECT = `select rest_id as restId, screen_name as handle, name, followers_count as followers,
    statuses_count as tweets, last_seen_at as lastSeenAt
  from users left join _user_last_seen on user_id = id`;

/** Reads accounts by their internal ids, in the order of these. */
export function readAccountLines({ $client }: Db, ids: readonly number[]): AccountLine[] {
  const select = $client.prepare<[number], AccountLine>(`${SELECT} where id = ?`);
  return ids.flatMap((id) => select.get(id) ?? []).map(toLine);
}

/** Reads one account by the id of the service. */
export function readAccountLine({ $client }: Db, restId: string): AccountLine | undefined {
  const row = $client.prepare<[string], AccountLine>(`${SELECT} where rest_id = ?`).get(restId);
  return row && toLine(row);
}

/** Finds the id of the service of `id:…` or a handle; undefined if nobody or more than one account has the handle. */
export function findRestId(db: Db, name: string): string | undefined {
  if (name.startsWith('id:')) return name.slice('id:'.length);
  return resolveHolder(readHolders(db, name.replace(/^@/, '')))?.restId;
}

const toLine = ({ handle, name, ...line }: AccountLine): AccountLine => ({
  ...line,
  handle: handle === null ? null : toShortLine(handle),
  name: name === null ? null : toShortLine(name),
});
