import type { CompleteList, EdgeDecision, EdgePeriod } from '../evidence/edge-periods.ts';
import { followHistory, follows } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileInsert } from '../sqlite/statement.ts';

/** The accounts of an edge, by their row ids. */
export interface EdgeKey {
  readonly followeeId: number;
  readonly followerId: number;
}

/** SQL: the columns of an edge's current period. */
export const PERIOD_COLUMNS = `first_seen_at as firstSeenAt, last_seen_at as lastSeenAt, first_missed_at as firstMissedAt,
  ended_at as endedAt, last_seen_in as lastSeenIn`;

/** SQL: the condition that a row is of an edge. */
export const IS_EDGE = 'followee_id = @followeeId and follower_id = @followerId';

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
