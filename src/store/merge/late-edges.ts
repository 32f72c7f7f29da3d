import { and, asc, eq, gte, or, sql } from 'drizzle-orm';
import { addSighting, type EarlierPeriod, type EdgePeriod } from '../evidence/edge-periods.ts';
import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { EdgeList } from '../schema/normalised-rows.ts';
import { followDecisions, followHistory, follows, listSnapshots } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, pickColumns } from '../sqlite/statement.ts';
import { CURRENT, isEdge, prepareEdgeRows, toObject } from './edge-rows.ts';

/** Stores a part of a follower or following list. Returns the number of new edges. */
export type StoreEdges = (side: EdgeList['side'], ownerId: number, memberIds: readonly number[], at: number) => number;

type Side = EdgeList['side'];
const OTHER_SIDE = { followers: 'following', following: 'followers' } as const satisfies Record<Side, Side>;
const EARLIER = ['firstSeenAt', 'lastSeenAt', 'endedAt', 'lastSeenIn'] as const;

interface LatePage {
  readonly ownerId: number;
  readonly memberIds: string;
  readonly at: number;
}

/**
 * Prepares the storing of edges whose page is late: a complete list of one of their accounts that ended after the request
 * is stored already, and has been applied to the edges that were known then. The page changes what that list proves, so
 * that the periods of each edge are derived again (decision 62).
 */
export function prepareLateEdges(db: Db) {
  const { at, memberIds, ownerId } = bound;
  const findLaterList = (side: Side) => {
    // The unary plus keeps SQLite from looking for each member: few lists end while a page is on its way.
    const userId = sql`+${listSnapshots.userId}`;
    const isOwners = and(sql`${userId} = ${ownerId}`, eq(listSnapshots.side, side));
    const isMembers = and(
      sql`${userId} in (select value from json_each(${memberIds}))`,
      eq(listSnapshots.side, OTHER_SIDE[side]),
    );
    const isLater = and(gte(listSnapshots.finishedAt, at), or(isOwners, isMembers));
    return compileStatement(db.select({ crawlId: listSnapshots.crawlId }).from(listSnapshots).where(isLater));
  };
  const laterList = { followers: findLaterList('followers'), following: findLaterList('following') };

  const rows = prepareEdgeRows(db);
  const findCurrent = compileStatement(db.select(pickColumns(follows, CURRENT)).from(follows).where(isEdge(follows)));
  const findEarlier = compileStatement(
    db
      .select(pickColumns(followHistory, EARLIER))
      .from(followHistory)
      .where(isEdge(followHistory))
      .orderBy(asc(followHistory.firstSeenAt)),
  );
  // Without a bound limit, for which SQLite would compile the statement again for each page.
  const laterDecision = compileStatement(
    db.select({ at: followDecisions.finishedAt }).from(followDecisions).where(gte(followDecisions.finishedAt, at)),
  );
  const removeEarlier = compileStatement(db.delete(followHistory).where(isEdge(followHistory)));

  const storeEdges: StoreEdges = (side, owner, members, time) => {
    const sighting = { lastSeenAt: time, lastSeenIn: EDGE_RELATIONS[side].lastSeenIn };
    let newEdges = 0;
    for (const member of members) {
      const edge =
        side === 'followers' ? { followeeId: owner, followerId: member } : { followeeId: member, followerId: owner };
      const stored = findCurrent.get(edge);
      const current = stored && toObject<EdgePeriod>(CURRENT, stored);
      const earlier = findEarlier
        .all(edge)
        .map((row) => toObject<EarlierPeriod>(EARLIER, row))
        .map((period): EdgePeriod => ({ ...period, firstMissedAt: period.endedAt }));
      const periods = addSighting(current ? [...earlier, current] : [], sighting, rows.readEvidence(edge));
      const latest = periods.pop()!;
      if (current) rows.updateCurrent(edge, latest);
      else rows.insertCurrent(edge, latest);
      newEdges += current ? 0 : 1;
      if (earlier.length > 0) removeEarlier.run(edge);
      for (const period of periods) rows.insertEarlier(edge, period);
    }
    return newEdges;
  };

  return {
    /** Whether a complete list of the owner or a member, or any decision, ended at the time of a page or later. */
    isLate: (side: Side, page: LatePage): boolean =>
      laterList[side].get(page) !== undefined || laterDecision.get({ at: page.at }) !== undefined,
    /** Stores the edges of a late page. Returns the number of new edges. */
    storeEdges,
  };
}
