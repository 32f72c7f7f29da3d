import { UNAVAILABLE_ACCOUNTS } from '../../../export/graph/sql/relations.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { NetworkQuery } from './network-query.ts';

/** The given accounts count as one: 1,500 accounts around one are 1,501. */
const MAX_AROUND = 1500;

/** An account of a network, as it is stored. */
export interface NodeRow {
  readonly id: number;
  readonly restId: string;
  readonly handle: string | null;
  readonly name: string | null;
  readonly followers: number | null;
  readonly isGiven: 0 | 1;
}

/** The accounts of a network: the most followed ones, these first, and the number of all. */
export interface NodeSample {
  readonly rows: readonly NodeRow[];
  readonly total: number;
}

const NEIGHBOURS = `
  union select f.followee_id from given cross join follows f on f.follower_id = given.id where f.ended_at is null
  union select f.follower_id from given cross join follows f on f.followee_id = given.id where f.ended_at is null`;

/**
 * Selects the accounts of a network. Like `trawl export graph`, it leaves out follows that ended, and accounts that the service
 * no longer shows. The given accounts come before others, whatever their followers.
 */
export function selectNodes({ $client }: Db, given: readonly number[], query: NetworkQuery): NodeSample {
  const rows = $client
    .prepare<[string], NodeRow & { readonly total: number }>(
      `with given(id) as (select value from json_each(?)),
         members(id) as (select id from given ${query.hasNeighbours ? NEIGHBOURS : ''})
       select u.id, u.rest_id as restId, u.screen_name as handle, u.name, u.followers_count as followers,
         u.id in (select id from given) as isGiven, count(*) over () as total
       from members cross join users u on u.id = members.id
       where u.id not in (${UNAVAILABLE_ACCOUNTS}) ${query.hasGiven ? '' : 'and u.id not in (select id from given)'}
       order by isGiven desc, followers desc nulls last, u.id limit ${MAX_AROUND + (query.hasGiven ? 1 : 0)}`,
    )
    .all(JSON.stringify(given));
  const [first] = rows;
  const sorted = rows.toSorted((a, b) => (b.followers ?? -1) - (a.followers ?? -1) || a.id - b.id);
  return { rows: sorted, total: first?.total ?? 0 };
}
