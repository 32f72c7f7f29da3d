import type { Db } from '../../../../store/sqlite/database.ts';

/** What the list of accounts is sorted by: `stored` is the order of their storage. */
export const ACCOUNT_SORTS = ['stored', 'handle', 'followers', 'seen'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export interface AccountOrder {
  readonly sort: AccountSort;
  /** The opposite of the usual direction. Accounts without a value stay last. */
  readonly isReversed: boolean;
}

/** The place of an account in an order: the part of the order, its value and its id. */
export type AccountPosition = readonly [part: number, key: number | string, id: number];

export interface AccountIds {
  readonly ids: readonly number[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: AccountPosition | undefined;
}

/** Accounts of an order that follow each other, and the value that they are sorted by. */
interface OrderPart {
  readonly table: string;
  readonly id: string;
  readonly where: string;
  readonly key: string;
}

const usersWhere = (where: string, key: string): OrderPart => ({ table: 'users', id: 'id', where, key });

/** From so many followers on, accounts are indexed by their number (`users_most_followed`). */
const MOST_FOLLOWED = 1000;

/** Each order in its usual direction. Its first parts have a value; `rest` has none, and is last in both directions. */
const ORDERS = {
  stored: { isDescending: true, parts: [usersWhere('true', 'id')], rest: [] },
  handle: {
    isDescending: false,
    parts: [usersWhere('screen_name is not null', 'screen_name collate nocase')],
    rest: [usersWhere('screen_name is null', 'id')],
  },
  followers: {
    isDescending: true,
    parts: [
      usersWhere(`followers_count >= ${MOST_FOLLOWED}`, 'followers_count'),
      usersWhere(`followers_count < ${MOST_FOLLOWED}`, 'followers_count'),
    ],
    rest: [usersWhere('followers_count is null', 'id')],
  },
  seen: {
    isDescending: true,
    parts: [{ table: '_user_last_seen', id: 'user_id', where: 'true', key: 'last_seen_at' }],
    rest: [usersWhere('not exists (select 1 from _user_last_seen where user_id = users.id)', 'id')],
  },
} as const satisfies Record<
  AccountSort,
  { isDescending: boolean; parts: readonly OrderPart[]; rest: readonly OrderPart[] }
>;

/**
 * A page of the internal ids of accounts, in order, whatever the number of accounts before it.
 * @param among a statement that returns internal ids: only these accounts are listed; undefined for all
 */
export function listAccountIds(
  { $client }: Db,
  { sort, isReversed }: AccountOrder,
  { among, after, limit }: { among?: string | undefined; after: AccountPosition | undefined; limit: number },
): AccountIds {
  const { isDescending, parts, rest } = ORDERS[sort];
  const [direction, comparison] = isDescending === isReversed ? ['asc', '>'] : ['desc', '<'];
  const all: readonly OrderPart[] = [...(isReversed ? parts.toReversed() : parts), ...rest];
  const [first, key, last] = after ?? [0, null, null];
  const found: AccountPosition[] = [];
  for (const [i, part] of all.entries()) {
    if (i < first || found.length > limit) continue;
    const conditions = [
      part.where,
      ...(among === undefined ? [] : [`${part.id} in (${among})`]),
      // The first comparison can use an index.
      ...(i === first && after
        ? [`${part.key} ${comparison}= @key and (${part.key}, ${part.id}) ${comparison} (@key, @last)`]
        : []),
    ];
    const rows = $client
      .prepare<[object], { key: number | string; id: number }>(
        `select ${part.key} as key, ${part.id} as id from ${part.table} where ${conditions.join(' and ')}
         order by ${part.key} ${direction}, ${part.id} ${direction} limit @limit`,
      )
      .all({ limit: limit + 1 - found.length, ...(i === first && after ? { key, last } : {}) });
    found.push(...rows.map((row): AccountPosition => [i, row.key, row.id]));
  }
  const shown = found.slice(0, limit);
  return { ids: shown.map(([, , id]) => id), next: found.length > limit ? shown.at(-1) : undefined };
}
