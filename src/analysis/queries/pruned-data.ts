import { pluralize } from '../../base/text.ts';
import { formatDay } from '../../base/units.ts';
import { type KindName, TWEET_KINDS } from '../../service/kinds/kinds.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { QueryNeed } from './saved-query.ts';

/** The lists whose pruned items are rows of a needed table. */
const KINDS_OF_ITEMS: Readonly<Record<NonNullable<QueryNeed['items']>, readonly KindName[]>> = {
  tweets: TWEET_KINDS,
  users: ['profile'],
  follows: ['followers', 'following'],
  runs: [],
  checks: [],
};

interface PrunedLists {
  readonly lists: number;
  readonly items: number;
  readonly oldestAt: number | null;
  readonly newestAt: number | null;
  readonly prunedAt: number | null;
}

/**
 * Describes what was removed of the lists that a query needs; undefined if nothing was. Several lists may have shown an item,
 * so that only the largest number of a list is given.
 * @param target the service's id of the account, or the target of the lists; undefined for any
 */
export function describePrunedData({ $client }: Db, need: QueryNeed, target: string | undefined): string | undefined {
  const kinds = need.items === undefined ? need.kinds : KINDS_OF_ITEMS[need.items];
  const { lists, items, oldestAt, newestAt, prunedAt } = $client
    .prepare<[object], PrunedLists>(
      `select count(*) as lists, coalesce(max(items), 0) as items, min(oldest_at) as oldestAt, max(newest_at) as newestAt,
         max(pruned_at) as prunedAt
       from pruned_ranges
       where kind in (select value from json_each(:kinds)) and target = coalesce(:target, target) collate nocase`,
    )
    .get({ kinds: JSON.stringify(kinds), target: target ?? null })!;
  if (prunedAt === null) return undefined;
  const amount =
    lists === 1 || target !== undefined ? pluralize(items, 'item') : `items of ${pluralize(lists, 'list')}`;
  const times = oldestAt === null || newestAt === null ? '' : ` from ${formatDay(oldestAt)} to ${formatDay(newestAt)}`;
  return `${amount}${times} removed from the database, the last on ${formatDay(prunedAt)}`;
}
