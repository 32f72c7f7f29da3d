import { addSighting, type EdgePeriod } from '../evidence/edge-periods.ts';
import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { EdgeList } from '../schema/normalised-rows.ts';
import type { Db } from '../sqlite/database.ts';
import { type EdgeKey, IS_EDGE, PERIOD_COLUMNS, prepareEdgeRows } from './edge-rows.ts';

/** Stores a part of a follower or following list. Returns the number of new edges. */
export type StoreEdges = (side: EdgeList['side'], ownerId: number, memberIds: readonly number[], at: number) => number;

type Side = EdgeList['side'];
const OTHER_SIDE = { followers: 'following', following: 'followers' } as const satisfies Record<Side, Side>;

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
  const { $client } = db;
  // The unary plus keeps SQLite from looking for each member: few lists end while a page is on its way.
  const prepareLaterList = (side: Side) =>
    $client.prepare<[LatePage]>(
      `select crawl_id from _list_snapshots where finished_at >= @at and ((+user_id = @ownerId and side = '${side}')
         or (+user_id in (select value from json_each(@memberIds)) and side = '${OTHER_SIDE[side]}'))`,
    );
  const laterList = { followers: prepareLaterList('followers'), following: prepareLaterList('following') };
  const laterDecision = $client.prepare<[LatePage]>('select 1 from _follow_decisions where finished_at >= @at');

  const rows = prepareEdgeRows(db);
  const findCurrent = $client.prepare<[EdgeKey], EdgePeriod>(`select ${PERIOD_COLUMNS} from follows where ${IS_EDGE}`);
  const findEarlier = $client.prepare<[EdgeKey], EdgePeriod>(
    `select first_seen_at as firstSeenAt, last_seen_at as lastSeenAt, ended_at as firstMissedAt, ended_at as endedAt,
       last_seen_in as lastSeenIn from follow_history where ${IS_EDGE} order by first_seen_at`,
  );
  const removeEarlier = $client.prepare<[EdgeKey]>(`delete from follow_history where ${IS_EDGE}`);

  const storeEdges: StoreEdges = (side, owner, members, time) => {
    const sighting = { lastSeenAt: time, lastSeenIn: EDGE_RELATIONS[side].lastSeenIn };
    let newEdges = 0;
    for (const member of members) {
      const edge =
        side === 'followers' ? { followeeId: owner, followerId: member } : { followeeId: member, followerId: owner };
      const current = findCurrent.get(edge);
      const earlier = findEarlier.all(edge);
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
      laterList[side].get(page) !== undefined || laterDecision.get(page) !== undefined,
    /** Stores the edges of a late page. Returns the number of new edges. */
    storeEdges,
  };
}
