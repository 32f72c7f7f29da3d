import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import { preparePrunedRanges } from '#store/coverage/pruned-ranges.ts';
import { columnsWith } from '#store/erasure/inventory.ts';
import type { RowCounts } from '#store/erasure/remove-rows.ts';
import type { Db } from '#store/sqlite/database.ts';

const USER_TABLES = {
  user_history: 'user_id',
  _user_last_seen: 'user_id',
  _user_stale_columns: 'user_id',
  users: 'id',
};

/** The columns that refer to accounts, except that of earlier versions of tweets, which has no index. */
const REFERENCES = columnsWith('user key').flatMap(([table, columns]) =>
  Object.hasOwn(USER_TABLES, table) || table === 'tweet_history'
    ? []
    : columns.map((column) => `${table} where ${column}`),
);

/** Accounts that crawls of others name, by id or handle, and authors of earlier versions of tweets, which have no index. */
const NAMED = `
  drop table if exists temp.prune_named;
  create temp table prune_named (name text primary key) without rowid;
  insert or ignore into temp.prune_named
    select lower(iif(target glob 'id:*', substr(target, 4), target)) from crawls
      where kind in (${formatKinds(ACCOUNT_KINDS)}) and id not in (select id from temp.prune_crawls)
    union select target_rest_id from crawls where target_rest_id is not null and id not in (select id from temp.prune_crawls)
    union select rest_id from panel_members
    union select rest_id from _job_accounts
    union select u.rest_id from tweet_history h join users u on u.id = h.author_id where h.author_id is not null`;

/** Nothing that is stored refers to an account `u`, and no other crawl names it. */
const IS_UNUSED = `
  u.rest_id not in (select name from temp.prune_named) and lower(coalesce(u.screen_name, u.rest_id)) not in (select name from temp.prune_named)
  ${REFERENCES.map((reference) => `and not exists (select 1 from ${reference} = u.id)`).join(' ')}
  and coalesce((select last_seen_at from _user_last_seen where user_id = u.id), u.first_seen_at) < :limit`;

/** Prepares the removal of accounts that nothing refers to any more, inside the caller's transaction. */
export function prepareAccountRemoval(db: Db, limit: number) {
  const { $client } = db;
  $client.exec(NAMED);
  const ranges = preparePrunedRanges(db);
  const find = $client.prepare<[object], { id: number; restId: string; hasProfile: 0 | 1 }>(
    `select u.id, u.rest_id as restId, exists (select 1 from temp.prune_lists where kind = 'profile' and target = u.rest_id) as hasProfile
     from users u where u.id in (select value from json_each(:ids)) and ${IS_UNUSED}`,
  );
  const removals = Object.entries(USER_TABLES).map(
    ([table, column]) =>
      [
        table,
        $client.prepare<[object]>(`delete from ${table} where ${column} in (select value from json_each(:ids))`),
      ] as const,
  );
  const targets = $client
    .prepare<[number], number>(
      `select distinct u.id from crawls c join users u on u.rest_id = c.target_rest_id
       where c.id in (select id from temp.prune_crawls) and u.id > ? order by u.id limit 500`,
    )
    .pluck();
  return {
    /** The keys of the next targets of the job's crawls. */
    nextTargets: (after: number): number[] => targets.all(after),

    removeUnused(userIds: readonly number[], prune: { readonly id: number; readonly at: number }): RowCounts {
      const found = find.all({ ids: JSON.stringify(userIds), limit });
      for (const { restId } of found.filter(({ hasProfile }) => hasProfile === 1))
        ranges.addItems({ kind: 'profile', target: restId, oldestAt: null, newestAt: null, items: 1 }, prune);
      const ids = JSON.stringify(found.map(({ id }) => id));
      return Object.fromEntries(
        removals.map(([table, remove]) => [table, remove.run({ ids }).changes] as const).filter(([, rows]) => rows > 0),
      );
    },
  };
}
