import type Database from 'better-sqlite3';
import { endPeriods } from '../../store/evidence/edge-periods.ts';
import { type EdgeKey, prepareEdgeRows } from '../../store/merge/edge-rows.ts';
import { EDGE_RELATIONS } from '../../store/relations/list-relations.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { NamedFact } from './read-shipped-entries.ts';

interface PeriodRow extends EdgeKey {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly lastSeenIn: number;
}

/**
 * Stores the periods of edges with their ends, which follow from complete lists (decision 62). Users and lists are there.
 * @param scratch a database for the periods, which are stored edge by edge
 */
export async function restoreEdges(
  db: Db,
  scratch: Database.Database,
  forEach: (table: 'edge_sightings', run: (fact: NamedFact) => void) => Promise<void>,
): Promise<void> {
  scratch.exec(`create table periods (follower_id integer, followee_id integer, first_seen_at integer, last_seen_at integer,
    last_seen_in integer, primary key (follower_id, followee_id, first_seen_at)) without rowid; begin`);
  const add = scratch.prepare('insert into periods values (?, ?, ?, ?, ?) on conflict do nothing');
  const findUser = db.$client.prepare<[unknown], number>('select id from users where rest_id = ?').pluck();
  await forEach('edge_sightings', ({ side, owner_rest_id, member_rest_id, seen_at, seen_until_at }) => {
    const [owner, member] = [findUser.get(owner_rest_id), findUser.get(member_rest_id)];
    const users = side === 'followers' ? [member, owner] : [owner, member];
    add.run(...users, seen_at, seen_until_at, EDGE_RELATIONS[side as keyof typeof EDGE_RELATIONS].lastSeenIn);
  });
  scratch.exec('commit');
  const store = prepareEdge(db);
  let edge: PeriodRow[] = [];
  const rows = scratch.prepare<[], PeriodRow>(
    `select follower_id as followerId, followee_id as followeeId, first_seen_at as firstSeenAt,
       last_seen_at as lastSeenAt, last_seen_in as lastSeenIn
     from periods order by follower_id, followee_id, first_seen_at`,
  );
  for (const row of rows.iterate()) {
    const [first] = edge;
    if (first && (row.followerId !== first.followerId || row.followeeId !== first.followeeId)) {
      store(edge);
      edge = [];
    }
    edge.push(row);
  }
  if (edge.length > 0) store(edge);
}

/** Prepares the storing of the periods of an edge, oldest first: the last one is current. */
function prepareEdge(db: Db): (rows: readonly PeriodRow[]) => void {
  const stored = prepareEdgeRows(db);
  return (rows) => {
    const { followerId, followeeId } = rows[0]!;
    const edge = { followerId, followeeId };
    const periods = rows.map((row) => ({ ...row, firstMissedAt: null, endedAt: null }));
    const ended = endPeriods(periods, stored.readEvidence(edge));
    stored.insertCurrent(edge, ended.pop()!);
    for (const period of ended) stored.insertEarlier(edge, period);
  };
}
