import type { GraphEdge } from '../../../../files/export/graph/graph.ts';
import { SELECTION_SETS } from '../../../../files/export/row-selection.ts';
import type { Db } from '../../../../store/sqlite/database.ts';

/** The given accounts count as one: 1,500 accounts around one are 1,501. */
const MAX_NODES = 1501;

/** An account of a network, as it is stored. */
export interface NodeRow {
  readonly id: number;
  readonly restId: string;
  readonly handle: string | null;
  readonly name: string | null;
  readonly followers: number | null;
  readonly isGiven: 0 | 1;
  /** The number of all accounts of the network. */
  readonly total: number;
}

const NEIGHBOURS = `
  union select f.followee_id from given cross join follows f on f.follower_id = given.id where f.ended_at is null
  union select f.follower_id from given cross join follows f on f.followee_id = given.id where f.ended_at is null`;

/**
 * Selects the most followed accounts of a network, these first. Like `trawl export graph`, it leaves out follows that ended, and
 * accounts that the service no longer shows. The given accounts are chosen before others, whatever their followers.
 */
export function selectNodes({ $client }: Db, given: readonly number[], hasNeighbours: boolean): NodeRow[] {
  const rows = $client
    .prepare<[string], NodeRow>(
      `with given(id) as (select value from json_each(?)),
         members(id) as (select id from given ${hasNeighbours ? NEIGHBOURS : ''})
       select u.id, u.rest_id as restId, u.screen_name as handle, u.name, u.followers_count as followers,
         u.id in (select id from given) as isGiven, count(*) over () as total
       from members cross join users u on u.id = members.id where u.id not in (${SELECTION_SETS.unavailable})
       order by isGiven desc, followers desc nulls last, u.id limit ${MAX_NODES}`,
    )
    .all(JSON.stringify(given));
  return rows.toSorted((a, b) => (b.followers ?? -1) - (a.followers ?? -1) || a.id - b.id);
}

/** Reads the follows among accounts. It walks those that each one follows, which are few: the followers of one may be millions. */
export function readFollowsAmong({ $client }: Db, ids: readonly number[]): GraphEdge[] {
  const list = JSON.stringify(ids);
  // The sign keeps the index from being searched for each pair.
  return $client
    .prepare<[string, string], GraphEdge>(
      `select follower_id, followee_id, 1, first_seen_at, ended_at, last_seen_at, null
       from follows indexed by follows_follower
       where follower_id in (select value from json_each(?)) and +followee_id in (select value from json_each(?))
         and follower_id <> followee_id and ended_at is null`,
    )
    .raw()
    .all(list, list) as unknown as GraphEdge[];
}
