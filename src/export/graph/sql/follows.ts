import type { GraphSelection } from '../networks.ts';
import { allOf, type Exclusions, excludedRelations, isShown, type NetworkSql } from './relations.ts';

/**
 * Follow edges that were in force at any time from `since` to `until`. Without `since`, it is the moment `until`; without
 * both, the moment of the snapshot. An edge is in force from its first observation to the latest time of its end.
 * @param hasHistory whether any edge ended and returned
 */
export function defineFollows(
  { since, until, includeDeleted }: Pick<GraphSelection, 'since' | 'until' | 'includeDeleted'>,
  exclusions: Exclusions,
  hasHistory: boolean,
): NetworkSql {
  const from = since ?? until;
  const inForce = (period: string): string =>
    allOf([
      ...(until === undefined ? [] : [`${period}.first_seen_at < ${until}`]),
      from === undefined
        ? `${period}.ended_at is null`
        : `(${period}.ended_at is null or ${period}.ended_at > ${from})`,
    ]);
  const shown = [...isShown('f.follower_id', exclusions), ...isShown('f.followee_id', exclusions)];
  const select = hasHistory && from !== undefined ? selectPeriods(inForce) : selectLatestPeriod(inForce);
  return {
    relations: excludedRelations(exclusions),
    edges: () => allOf([select, ...shown]),
    leftOut: {
      endedFollows: `select count(*) from follows f indexed by follows_missed_followee where ${allOf([
        // Ended edges are among the missing ones.
        'f.first_missed_at is not null',
        `f.ended_at ${from === undefined ? 'is not null' : `<= ${from}`}`,
        ...(until === undefined ? [] : [`f.first_seen_at < ${until}`]),
      ])}`,
      ...(!includeDeleted && {
        unavailableAccounts: exclusions.hasAccounts
          ? `select count(*) from (
              select f.id from excluded_accounts x join follows f on f.follower_id = x.id where ${inForce('f')}
              union select f.id from excluded_accounts x join follows f on f.followee_id = x.id where ${inForce('f')})`
          : 'select 0',
      }),
    },
  };
}

const selectLatestPeriod = (inForce: (period: string) => string): string => `select f.follower_id, f.followee_id, 1,
  f.first_seen_at, f.ended_at, f.last_seen_at, null, f.id
from follows f
where ${inForce('f')}`;

/** Earlier periods of an edge are in `follow_history`; the latest one may not be in force when an earlier one was. */
function selectPeriods(inForce: (period: string) => string): string {
  const earlier = `from follow_history h where h.follower_id = f.follower_id and h.followee_id = f.followee_id and ${inForce('h')}`;
  return `select f.follower_id, f.followee_id, 1,
  coalesce((select min(h.first_seen_at) ${earlier}), f.first_seen_at),
  iif(${inForce('f')}, f.ended_at, (select max(h.ended_at) ${earlier})),
  iif(${inForce('f')}, f.last_seen_at, (select max(h.last_seen_at) ${earlier})),
  (select json_group_array(json_array(p.start_at, p.end_at)) from (
    select h.first_seen_at as start_at, h.ended_at as end_at ${earlier}
    union all select f.first_seen_at, f.ended_at where ${inForce('f')} order by 1) p), f.id
from follows f
where (${inForce('f')} or exists (select 1 ${earlier}))`;
}
