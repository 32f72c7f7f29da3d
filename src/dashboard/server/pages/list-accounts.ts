import { LIST_LABELS } from '#analysis/coverage/list-answers.ts';
import { rankUsers } from '#analysis/find/find-users.ts';
import { SECOND } from '#base/clock.ts';
import type { AccountListData } from '#dashboard/server/api/accounts.ts';
import { formatPosition, parseChoices, parsePosition } from '#dashboard/server/reader/query-values.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import type { KindName } from '#service/kinds/kinds.ts';
import type { Db } from '#store/sqlite/database.ts';
import { readAccountLines } from './account-lines.ts';

const PAGE = 50;

const LABELS: Readonly<Partial<Record<KindName, string>>> = { profile: 'Profile', ...LIST_LABELS };

/**
 * Reads a page of the collected accounts or of all (`show=all`), or those of all that match a search (`q`) of handles, names and
 * biographies. `kind` has the kinds of crawls that collected them, `sort` and `reverse=1` the order.
 */
export function readAccountList(context: ReadContext, { query }: ReadRequest): AccountListData {
  const { db } = context;
  const groups = groupCollected(context);
  const chosen = parseChoices(query, 'kind', ACCOUNT_KINDS) ?? [];
  const isAll = query['show'] === 'all';
  const all = db.$client.prepare<[], number>('select count(*) from users').pluck().get()!;
  const kinds = chosen.length === 0 ? ACCOUNT_KINDS : chosen;
  const counts = {
    all,
    collected: countCollected(groups, ACCOUNT_KINDS),
    total: isAll ? all : countCollected(groups, kinds),
    kinds: ACCOUNT_KINDS.map((kind) => ({
      kind,
      label: LABELS[kind] ?? kind,
      n: countCollected(groups, [kind]),
      isSelected: chosen.includes(kind),
    })),
  };
  const search = query['q']?.trim() ?? '';
  if (search !== '') {
    const ranking = rankUsers(db, search, { order: 'relevance', limit: PAGE, includeHidden: true });
    const { ids, matched, limits } = ranking;
    return { ...counts, rows: readAccountLines(db, ids), next: null, matched, isBounded: limits.length > 0 };
  }
  const [sort = 'stored'] = parseChoices(query, 'sort', ACCOUNT_SORTS) ?? [];
  const after = parsePosition<AccountPosition>(query['after'], 3);
  const page = { after, limit: PAGE, among: isAll ? undefined : selectCollected(kinds) };
  const { ids, next } = listAccountIds(db, { sort, isReversed: query['reverse'] === '1' }, page);
  return { ...counts, rows: readAccountLines(db, ids), next: formatPosition(next), matched: null, isBounded: false };
}

/** What the list of accounts is sorted by: `stored` is the order of their storage. */
const ACCOUNT_SORTS = ['stored', 'handle', 'followers', 'seen'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

export interface AccountOrder {
  readonly sort: AccountSort;
  /** The opposite of the usual direction. Accounts without a value stay last. */
  readonly isReversed: boolean;
}

/** The place of an account in an order: the part of the order, its value and its id. */
type AccountPosition = readonly [part: number, key: number | string, id: number];

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

/** Returns a statement that returns the internal ids of the accounts that crawls of these kinds were of. */
const selectCollected = (kinds: readonly KindName[]): string =>
  `select id from users where rest_id in (
    select target_rest_id from crawls indexed by crawls_account where target_rest_id is not null and kind in (${formatKinds(kinds)})
  )`;

/** Stored accounts that were collected by the same kinds of crawls. */
export interface CollectedGroup {
  readonly kinds: readonly KindName[];
  readonly n: number;
}

/** A store with more crawls is a large one: its counts take some tenths of a second, and are kept for some seconds. */
const LARGE = 20_000;

/** Groups the targets of crawls that are stored accounts by the kinds of their crawls. */
function groupCollected({ db: { $client }, remember }: ReadContext): readonly CollectedGroup[] {
  const newest = $client.prepare<[], number | null>('select max(id) from crawls').pluck().get() ?? 0;
  return remember('collected accounts', newest > LARGE ? 10 * SECOND : 0, () => {
    const flags = ACCOUNT_KINDS.map((kind, i) => `max(kind = '${kind}') * ${2 ** i}`).join(' + ');
    return $client
      .prepare<[], { mask: number; n: number }>(
        `select mask, count(*) as n from (
           select target_rest_id, ${flags} as mask from crawls indexed by crawls_account
           where kind in (${formatKinds(ACCOUNT_KINDS)}) and target_rest_id is not null group by target_rest_id
         ) where exists (select 1 from users where rest_id = target_rest_id) group by mask`,
      )
      .all()
      .map(({ mask, n }) => ({ n, kinds: ACCOUNT_KINDS.filter((_, i) => (mask & (2 ** i)) !== 0) }));
  });
}

/** The number of accounts that crawls of any of these kinds were of. */
const countCollected = (groups: readonly CollectedGroup[], wanted: readonly KindName[]): number =>
  groups.reduce((sum, { kinds, n }) => (kinds.some((kind) => wanted.includes(kind)) ? sum + n : sum), 0);
