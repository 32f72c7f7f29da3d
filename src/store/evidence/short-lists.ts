import { and, count, desc, eq, gte, isNotNull, isNull, lt, lte, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { ListFacts } from '../../service/kinds/end-by-stored-facts.ts';
import { lastSummarySubquery } from '../merge/last-seen.ts';
import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { EndedList } from '../schema/query-results.ts';
import { follows, listSnapshots, users, userStaleColumns } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement } from '../sqlite/statement.ts';
import { CACHE_VALIDITY } from './edge-periods.ts';

type Side = EndedList['side'];

/** The owner of a list, its last known count, and its count at the time of the list; null if unknown. */
interface ListOwner {
  readonly userId: number;
  readonly lastCount: number | null;
  readonly count: number | null;
}

const COUNT = {
  followers: { column: users.followersCount, name: 'followers_count' },
  following: { column: users.followingCount, name: 'following_count' },
} as const;

export const oldestCached = sql`${bound.startedAt} - ${sql.raw(String(CACHE_VALIDITY))}`;

/** Edges of an account that a list lacks which began at a time, and is evidence about. */
export const isLackedBy = (side: Side): SQL =>
  and(
    eq(EDGE_RELATIONS[side].owner, bound.userId),
    isNull(follows.endedAt),
    lt(follows.lastSeenAt, bound.startedAt),
    side === 'following'
      ? or(eq(follows.lastSeenIn, EDGE_RELATIONS.following.lastSeenIn), lt(follows.lastSeenAt, oldestCached))
      : undefined,
  )!;

/**
 * The stored facts about lists that lack stored edges (invariant 7): the last accepted list and the counts of the owner.
 * service/kinds/end-by-stored-facts.ts decides by them whether a list is evidence. A count belongs to a list if a profile or a summary
 * showed it after the list began, and before its page was stored.
 */
export function prepareShortLists(db: Db) {
  const prepare = (side: Side) => {
    const { column, name } = COUNT[side];
    const staleAt = db
      .select({ at: userStaleColumns.lastSeenAt })
      .from(userStaleColumns)
      .where(and(eq(userStaleColumns.userId, users.id), eq(userStaleColumns.columnName, name)));
    const countedAt = sql<number>`coalesce((${staleAt}),
      max(coalesce(${users.profileAt}, 0), coalesce(${lastSummarySubquery}, 0)))`;
    const isBaseline = and(
      eq(listSnapshots.userId, bound.userId),
      eq(listSnapshots.side, side),
      isNotNull(listSnapshots.ownerCount),
      lt(listSnapshots.finishedAt, bound.startedAt),
    );
    const { startedAt, finishedAt, itemCount, ownerCount } = listSnapshots;
    // The condition on the first miss is that of a partial index.
    const isEndedSince = and(
      eq(EDGE_RELATIONS[side].owner, bound.userId),
      isNotNull(follows.firstMissedAt),
      isNotNull(follows.endedAt),
      gte(follows.lastSeenAt, bound.startedAt),
      lte(follows.firstSeenAt, bound.finishedAt),
    );
    const isShown = db
      .select({ id: users.id })
      .from(users)
      .where(sql`${users.restId} in (select value from json_each(${bound.itemIds}))`);
    return {
      owner: compileStatement(
        db
          .select({ id: users.id, count: column, countedAt, profileAt: users.profileAt })
          .from(users)
          .where(eq(users.restId, bound.owner)),
      ),
      baseline: compileStatement(
        db
          .select({ startedAt, finishedAt, itemCount, ownerCount })
          .from(listSnapshots)
          .where(isBaseline)
          .orderBy(desc(finishedAt))
          .limit(1),
      ),
      countEndedSince: compileStatement(db.select({ n: count() }).from(follows).where(isEndedSince)),
      compare: compileStatement(
        db
          .select({
            shown: sql`count(*) filter (where ${gte(follows.lastSeenAt, bound.startedAt)})`,
            lacked: sql`count(*) filter (where ${isLackedBy(side)})`,
          })
          .from(follows)
          .where(eq(EDGE_RELATIONS[side].owner, bound.userId)),
      ),
      findLacked: compileStatement(
        db
          .select({ id: follows.id })
          .from(follows)
          .where(and(isLackedBy(side), notInArray(EDGE_RELATIONS[side].member, isShown)))
          .limit(1),
      ),
    };
  };
  const statements = { followers: prepare('followers'), following: prepare('following') };

  /** The owner of a list with its count, and the count at the time of the list; null if it is unknown. */
  function readOwner({ side, owner, startedAt, finishedAt = Infinity }: EndedList) {
    const row = statements[side].owner.get({ owner }) as [number, number | null, number, number | null] | undefined;
    if (!row) return undefined;
    const [userId, lastCount, countedAt, profileAt] = row;
    const count = countedAt >= startedAt && countedAt <= finishedAt ? lastCount : null;
    return { userId, lastCount, count, isProfileNew: (profileAt ?? 0) >= startedAt };
  }

  function readBaseline({ side, startedAt }: EndedList, userId: number) {
    const { baseline, countEndedSince } = statements[side];
    const row = baseline.get({ userId, startedAt }) as [number, number, number, number] | undefined;
    if (!row) return undefined;
    const [started, finishedAt, itemCount, baselineCount] = row;
    const [ended] = countEndedSince.get({ userId, startedAt: started, finishedAt }) as [number];
    return { baselineSize: itemCount - ended, baselineCount };
  }

  return {
    readOwner,
    /** The number of an owner's edges that were seen since a list began, and of those that it lacks. */
    compareEdges: ({ side, ...list }: Omit<EndedList, 'owner'> & { readonly userId: number }) =>
      statements[side].compare.get(list) as [shown: number, lacked: number],
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
      const { baseline, findLacked } = statements[list.side];
      const { startedAt } = list;
      if (baseline.get({ userId, startedAt }) === undefined) return true;
      return findLacked.get({ userId, startedAt, itemIds: JSON.stringify(itemIds) }) !== undefined;
    },
  };
}
