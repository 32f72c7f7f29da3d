import type { GraphSelection } from '#files/export/graph/networks.ts';
import { allOf, excludedRelations, isShown, type NetworkSql } from './network-sql.ts';

/**
 * Follow edges that were in force at any time from `since` to `until`. Without `since`, it is the moment `until`; without
 * both, the moment of the snapshot. An edge is in force from its first observation to the latest time of its end.
 */
export function defineFollows(selection: GraphSelection): NetworkSql {
  const { since, until, includeDeleted } = selection;
  const from = since ?? until;
  const isBefore = (period: string): string | undefined =>
    until === undefined ? undefined : `${period}.first_seen_at < ${until}`;
  const isInForce = (period: string): string =>
    allOf(
      isBefore(period),
      from === undefined
        ? `${period}.ended_at is null`
        : `(${period}.ended_at is null or ${period}.ended_at > ${from})`,
    );
  const ofUnavailable = (end: string): string =>
    `select f.id from unavailable x join follows f on f.${end} = x.id where ${isInForce('f')}`;
  return {
    relations: excludedRelations(selection),
    edges: allOf(
      from === undefined ? selectCurrent(isInForce('f')) : selectPeriods(isInForce),
      isShown('f.follower_id'),
      isShown('f.followee_id'),
    ),
    leftOut: {
      endedFollows: `select count(*) from follows f indexed by follows_missed_followee where ${allOf(
        // Ended edges are among the missing ones.
        'f.first_missed_at is not null',
        `f.ended_at ${from === undefined ? 'is not null' : `<= ${from}`}`,
        isBefore('f'),
      )}`,
      ...(!includeDeleted && {
        unavailableAccounts: `select count(*) from (${ofUnavailable('follower_id')} union ${ofUnavailable('followee_id')})`,
      }),
    },
  };
}

const selectCurrent = (isInForce: string): string =>
  `select f.follower_id, f.followee_id, 1, f.first_seen_at, f.ended_at, f.last_seen_at, null from follows f where ${isInForce}`;

/** Earlier periods of an edge are in `follow_history`; the latest one may not be in force when an earlier one was. */
function selectPeriods(isInForce: (period: string) => string): string {
  const earlier = `from follow_history h where h.follower_id = f.follower_id and h.followee_id = f.followee_id and ${isInForce('h')}`;
  return `select f.follower_id, f.followee_id, 1,
  coalesce((select min(h.first_seen_at) ${earlier}), f.first_seen_at),
  iif(${isInForce('f')}, f.ended_at, (select max(h.ended_at) ${earlier})),
  iif(${isInForce('f')}, f.last_seen_at, (select max(h.last_seen_at) ${earlier})),
  (select json_group_array(json_array(p.start_at, p.end_at)) from (
    select h.first_seen_at as start_at, h.ended_at as end_at ${earlier}
    union all select f.first_seen_at, f.ended_at where ${isInForce('f')} order by 1) p)
from follows f
where (${isInForce('f')} or exists (select 1 ${earlier}))`;
}
