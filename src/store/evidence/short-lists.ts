import type { ListFacts } from '#service/kinds/decide-end.ts';
import { EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import type { EndedList } from '#store/schema/query-results.ts';
import type { Db } from '#store/sqlite/database.ts';
import { CACHE_VALIDITY } from './edge-periods.ts';

type Side = EndedList['side'];

/** The owner of a list, its last known count, and its count at the time of the list; null if unknown. */
interface ListOwner {
  readonly userId: number;
  readonly lastCount: number | null;
  readonly count: number | null;
}

/** SQL: the earliest start of a list that may be a copy of the response of a list that began at `@startedAt`. */
export const OLDEST_CACHED = `@startedAt - ${CACHE_VALIDITY}`;

/** SQL: edges of the account `@userId` that a list lacks which began at `@startedAt`, and is evidence about. */
export function isLackedBy(side: Side): string {
  const isLacked = `${EDGE_RELATIONS[side].owner.name} = @userId and ended_at is null and last_seen_at < @startedAt`;
  if (side === 'followers') return isLacked;
  return `${isLacked} and (last_seen_in = ${EDGE_RELATIONS.following.lastSeenIn} or last_seen_at < ${OLDEST_CACHED})`;
}

/** Prepares the statements for lists of one side. */
function prepareSide({ $client }: Db, side: Side) {
  const { owner, member } = EDGE_RELATIONS[side];
  const count = `${side}_count`;
  const prepare = <Row extends unknown[]>(sql: string) => $client.prepare<[object], Row>(sql).raw();
  return {
    owner: prepare<[id: number, count: number | null, countedAt: number, profileAt: number | null]>(
      `select id, ${count}, coalesce(
         (select last_seen_at from _user_stale_columns where user_id = users.id and column_name = '${count}'),
         max(coalesce(profile_at, 0),
           coalesce((select last_summary_at from _user_last_seen where user_id = users.id), 0))), profile_at
       from users where rest_id = @owner`,
    ),
    baseline: prepare<[startedAt: number, finishedAt: number, itemCount: number, ownerCount: number]>(
      `select started_at, finished_at, item_count, owner_count from _list_snapshots
       where user_id = @userId and side = '${side}' and owner_count is not null and finished_at < @startedAt
       order by finished_at desc limit 1`,
    ),
    // The condition on the first miss is that of a partial index.
    countEndedSince: prepare<[number]>(
      `select count(*) from follows where ${owner.name} = @userId and first_missed_at is not null
         and ended_at is not null and last_seen_at >= @startedAt and first_seen_at <= @finishedAt`,
    ),
    compare: prepare<[shown: number, lacked: number]>(
      `select count(*) filter (where last_seen_at >= @startedAt), count(*) filter (where ${isLackedBy(side)})
       from follows where ${owner.name} = @userId`,
    ),
    findLacked: prepare<[number]>(
      `select id from follows where ${isLackedBy(side)} and ${member.name} not in
         (select id from users where rest_id in (select value from json_each(@itemIds))) limit 1`,
    ),
  };
}

/**
 * The stored facts about lists that lack stored edges (invariant 7): the last accepted list and the counts of the owner.
 * service/kinds/decide-end.ts decides by them whether a list is evidence. A count belongs to a list if a profile or a summary
 * showed it after the list began, and before its page was stored.
 */
export function prepareShortLists(db: Db) {
  const sides: Partial<Record<Side, ReturnType<typeof prepareSide>>> = {};
  const statementsOf = (side: Side) => (sides[side] ??= prepareSide(db, side));

  /** The owner of a list with its count, and the count at the time of the list; null if it is unknown. */
  function readOwner({ side, owner, startedAt, finishedAt = Infinity }: EndedList) {
    const row = statementsOf(side).owner.get({ owner });
    if (!row) return undefined;
    const [userId, lastCount, countedAt, profileAt] = row;
    const count = countedAt >= startedAt && countedAt <= finishedAt ? lastCount : null;
    return { userId, lastCount, count, isProfileNew: (profileAt ?? 0) >= startedAt };
  }

  function readBaseline({ side, startedAt }: EndedList, userId: number) {
    const { baseline, countEndedSince } = statementsOf(side);
    const row = baseline.get({ userId, startedAt });
    if (!row) return undefined;
    const [started, finishedAt, itemCount, baselineCount] = row;
    const [ended] = countEndedSince.get({ userId, startedAt: started, finishedAt })!;
    return { baselineSize: itemCount - ended, baselineCount };
  }

  return {
    readOwner,
    /** The number of an owner's edges that were seen since a list began, and of those that it lacks. */
    compareEdges: ({ side, ...list }: Omit<EndedList, 'owner'> & { readonly userId: number }) =>
      statementsOf(side).compare.get(list)!,
    /**
     * Returns the facts that decide whether a list is evidence.
     * @param numbers of its accounts, of the edges that any list has shown since it began, and of the other stored ones
     */
    readFacts(
      list: EndedList,
      { userId, count, lastCount }: ListOwner,
      { shown, seen, lacked }: Record<'shown' | 'seen' | 'lacked', number>,
    ): ListFacts {
      const edges = { seen, lacked, count, baseline: readBaseline(list, userId) };
      return { shown, isExpectedToShow: lastCount !== 0, edges };
    },
    /**
     * Whether the profile of a list's owner has to be requested: its count at the time of the list is unknown, and the list
     * lacks stored edges, or is the first one that can be accepted. Earlier pages are stored.
     * @param itemIds the service's ids of the accounts on the last page
     */
    needsOwnerCount(list: EndedList, itemIds: readonly string[]): boolean {
      const owner = readOwner(list);
      if (owner === undefined) return true;
      // A new profile without the count shows no more the second time.
      if (owner.count !== null || owner.isProfileNew) return false;
      const { userId } = owner;
      const { baseline, findLacked } = statementsOf(list.side);
      const { startedAt } = list;
      if (baseline.get({ userId, startedAt }) === undefined) return true;
      return findLacked.get({ userId, startedAt, itemIds: JSON.stringify(itemIds) }) !== undefined;
    },
  };
}
