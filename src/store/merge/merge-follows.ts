import { type CompleteList, type EdgeDecision, type EdgePeriod, addSighting } from '#store/evidence/edge-periods.ts';
import { EDGE_RELATIONS } from '#store/relations/list-relations.ts';
import type { EdgeList } from '#store/schema/normalised-rows.ts';
import { followHistory, follows } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer, compileInsert } from '#store/sqlite/statement.ts';

/** Prepares StoreEdges: one statement for all edges of a page costs less than half of one per edge (decision 9). */
export function prepareFollows(db: Db): StoreEdges {
  const statements = { followers: prepareSide(db, 'followers'), following: prepareSide(db, 'following') };
  const readLastId = createValuePreparer(db)<[], number>('select coalesce(max(id), 0) from follows');
  const late = prepareLateEdges(db);

  return (side, owner, ids, time) => {
    const page = { ownerId: owner, memberIds: JSON.stringify(ids), at: time };
    if (late.isLate(side, page)) return late.storeEdges(side, owner, ids, time);
    const { findMissing, archive, restart, upsert } = statements[side];
    if (findMissing.get(page) !== undefined) {
      archive.run(page);
      restart.run(page);
    }
    // Only new edges get ids, and nobody else writes within this transaction.
    const lastIdBefore = readLastId.get()!;
    upsert.run(page);
    return readLastId.get()! - lastIdBefore;
  };
}

/**
 * Prepares the storing of the edges of a list. Of edges that were marked missing and are seen again, one that had ended begins
 * a new period, and its earlier period moves to `follow_history`. For a list without missing edges this is one look-up in an
 * empty index.
 */
function prepareSide({ $client }: Db, side: EdgeList['side']) {
  const { owner, member, lastSeenIn } = EDGE_RELATIONS[side];
  const isMarkedMissing = `${owner.name} = @ownerId and first_missed_at is not null`;
  // A page that was requested before the edge was last seen does not bring it back.
  const isReturning = `${isMarkedMissing} and ${member.name} in (select value from json_each(@memberIds))
    and coalesce(ended_at, last_seen_at) <= @at`;
  const period = 'followee_id, follower_id, first_seen_at, last_seen_at, ended_at, last_seen_in';
  // A time before the end of an earlier period does not belong to the current one.
  const isEarlier = `@at < first_seen_at and not exists (select 1 from follow_history h
    where h.followee_id = follows.followee_id and h.follower_id = follows.follower_id and h.ended_at >= @at)`;
  return {
    findMissing: $client.prepare<[object]>(`select id from follows where ${isMarkedMissing}`),
    archive: $client.prepare<[object]>(
      `insert into follow_history (${period}) select ${period} from follows
       where ${isReturning} and ended_at is not null order by id`,
    ),
    restart: $client.prepare<[object]>(
      `update follows set first_seen_at = iif(ended_at is null, first_seen_at, @at), first_missed_at = null, ended_at = null
       where ${isReturning}`,
    ),
    upsert: $client.prepare<[object]>(
      `insert into follows (${owner.name}, ${member.name}, first_seen_at, last_seen_at, last_seen_in)
       select @ownerId, value, @at, @at, ${lastSeenIn} from json_each(@memberIds) where true
       on conflict (follower_id, followee_id) do update set
         first_seen_at = iif(${isEarlier}, @at, first_seen_at),
         last_seen_at = max(last_seen_at, @at),
         last_seen_in = case when @at > last_seen_at then excluded.last_seen_in
           when @at = last_seen_at then max(last_seen_in, excluded.last_seen_in) else last_seen_in end`,
    ),
  };
}

/** The accounts of an edge, by their row ids. */
export interface EdgeKey {
  readonly followeeId: number;
  readonly followerId: number;
}

/** SQL: the columns of an edge's current period. */
export const PERIOD_COLUMNS = `first_seen_at as firstSeenAt, last_seen_at as lastSeenAt, first_missed_at as firstMissedAt,
  ended_at as endedAt, last_seen_in as lastSeenIn`;

/** SQL: the condition that a row is of an edge. */
const IS_EDGE = 'followee_id = @followeeId and follower_id = @followerId';

/** Prepares reading what proves the ends of an edge's periods, and the storing of periods. */
export function prepareEdgeRows(db: Db) {
  const { $client } = db;
  const findLists = $client.prepare<[EdgeKey], CompleteList>(
    `select side, started_at as startedAt, finished_at as finishedAt, body_digest as bodyDigest from _list_snapshots
     where (user_id = @followeeId and side = 'followers') or (user_id = @followerId and side = 'following')`,
  );
  const findDecisions = $client.prepare<[EdgeKey], EdgeDecision>(
    `select started_at as startedAt, finished_at as finishedAt, cause from _follow_decisions where ${IS_EDGE}`,
  );
  const update = $client.prepare<[EdgeKey & EdgePeriod]>(
    `update follows set first_seen_at = @firstSeenAt, last_seen_at = @lastSeenAt, first_missed_at = @firstMissedAt,
       ended_at = @endedAt, last_seen_in = @lastSeenIn where ${IS_EDGE}`,
  );
  const insertCurrent = compileInsert(db, follows);
  const insertEarlier = compileInsert(db, followHistory);
  return {
    /** The complete lists and the decisions about an edge. */
    readEvidence: (edge: EdgeKey) => ({ lists: findLists.all(edge), decisions: findDecisions.all(edge) }),
    insertCurrent: (edge: EdgeKey, period: EdgePeriod) => void insertCurrent.run({ ...edge, ...period }),
    updateCurrent: (edge: EdgeKey, period: EdgePeriod) => void update.run({ ...edge, ...period }),
    insertEarlier: (edge: EdgeKey, period: EdgePeriod) => void insertEarlier.run({ ...edge, ...period }),
  };
}

/** Stores a part of a follower or following list. Returns the number of new edges. */
type StoreEdges = (side: EdgeList['side'], ownerId: number, memberIds: readonly number[], at: number) => number;

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
function prepareLateEdges(db: Db) {
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
