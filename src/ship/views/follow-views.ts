import { CACHE_VALIDITY } from '../../store/evidence/edge-periods.ts';
import type { Dialect } from './dialect.ts';
import type { Views } from './views.ts';

/** The time after the last sighting. */
const NEVER = '9000000000000000';
const EDGE = 'follower_rest_id, followee_rest_id';
const byEdge = (order: string): string => `partition by ${EDGE} order by ${order}`;
const onEdge = (left: string, right: string): string =>
  `${right}.follower_rest_id = ${left}.follower_rest_id and ${right}.followee_rest_id = ${left}.followee_rest_id`;

/**
 * Returns the views of follow edges. Between two sightings an edge ended if two complete lists, one after the other, lack it
 * (decisions 13 and 62): the rule is that of store/evidence/edge-periods.ts.
 */
export function createFollowViews({ milliseconds, isoTime, latest }: Dialect): Views {
  const lacked = (side: string, account: string, since: string): string => `
  select s.follower_rest_id as follower_rest_id, s.followee_rest_id as followee_rest_id, s.seen as seen, l.side as side,
    l.owner_rest_id as owner_rest_id, l.started as started, l.finished as finished, l.body_digest as body_digest
  from _edge_stretches s join _lists l on l.owner_rest_id = s.${account}
  where l.side = '${side}' and l.started > ${since} and l.finished < coalesce(s.next_seen, ${NEVER})`;
  const change = (kind: string, from: string): string => `
  select '${kind}' as change, p.follower_rest_id as follower_rest_id, r.screen_name as follower, p.followee_rest_id as followee_rest_id, e.screen_name as followee,
    ${isoTime('p.earliest')} as earliest_at, ${isoTime('p.latest')} as latest_at
  from (${from}) p
  left join v_users r on r.rest_id = p.follower_rest_id left join v_users e on e.rest_id = p.followee_rest_id`;
  const earlierLists = (side: string, account: string): string => `
    select p.follower_rest_id as follower_rest_id, p.followee_rest_id as followee_rest_id, p.first_seen_ms as first_seen_ms,
      ${latest('l.started', 'integer', 'l.finished')} as started
    from follow_periods p join _lists l on l.owner_rest_id = p.${account}
    where l.side = '${side}' and l.finished < p.first_seen_ms
    group by p.follower_rest_id, p.followee_rest_id, p.first_seen_ms`;

  return {
    _lists: `select distinct side, owner_rest_id, ${milliseconds('started_at')} as started,
    ${milliseconds('finished_at')} as finished, body_digest
  from list_snapshots`,
    _decisions: `select distinct follower_rest_id, followee_rest_id, ${milliseconds('started_at')} as started,
    ${milliseconds('finished_at')} as finished, cause
  from follow_decisions`,
    // In a snapshot, one fact has both ends of a period.
    _edge_sightings: `select follower_rest_id, followee_rest_id, seen, max(until) as until, max(seen_in) as seen_in
  from (
    select case side when 'followers' then member_rest_id else owner_rest_id end as follower_rest_id,
      case side when 'followers' then owner_rest_id else member_rest_id end as followee_rest_id,
      ${milliseconds('seen_at')} as seen, ${milliseconds('coalesce(seen_until_at, seen_at)')} as until,
      case side when 'followers' then 0 else 1 end as seen_in
    from edge_sightings
  ) s
  group by ${EDGE}, seen`,
    _edge_stretches: `select ${EDGE}, seen, seen_in,
    max(until) over (${byEdge('seen')} rows between unbounded preceding and current row) as last_seen,
    max(seen) over (${byEdge('seen')} rows between 1 following and 1 following) as next_seen
  from _edge_sightings`,
    _edges_lacked: `${lacked('followers', 'followee_rest_id', 's.last_seen')}
  union all${lacked('following', 'follower_rest_id', `s.last_seen + case s.seen_in when 0 then ${CACHE_VALIDITY} else 0 end`)}
  union all
  select s.follower_rest_id as follower_rest_id, s.followee_rest_id as followee_rest_id, s.seen as seen, 'decision' as side,
    d.followee_rest_id as owner_rest_id, d.started as started, d.finished as finished, d.cause as body_digest
  from _edge_stretches s join _decisions d on ${onEdge('s', 'd')}
  where d.started > s.last_seen + case when d.cause = 'unfollowed' and s.seen_in = 0 then ${CACHE_VALIDITY} else 0 end
    and d.finished < coalesce(s.next_seen, ${NEVER})`,
    // Two lists of followed accounts may be copies of one cached response.
    _edge_second_lists: `select m.follower_rest_id as follower_rest_id, m.followee_rest_id as followee_rest_id, m.seen as seen, m.first_missed as first_missed,
    case when m.side = 'decision' then 1 when m.started > m.first_missed and max(case when c.started > m.started - ${CACHE_VALIDITY} and m.side = 'following'
      and (c.body_digest = m.body_digest or c.body_digest is null or m.body_digest is null) then 1 else 0 end) = 0
      then 1 else 0 end as is_second
  from (
    select l.*, min(finished) over (partition by ${EDGE}, seen) as first_missed from _edges_lacked l
  ) m
  left join (select * from _lists where side = 'following') c
    on c.owner_rest_id = m.owner_rest_id and c.finished = m.first_missed
  group by m.follower_rest_id, m.followee_rest_id, m.seen, m.first_missed, m.side, m.owner_rest_id, m.started, m.finished, m.body_digest`,
    _edge_ends: `select ${EDGE}, seen, min(first_missed) as first_missed, max(is_second) as has_ended
  from _edge_second_lists group by ${EDGE}, seen`,
    follow_periods: `select ${EDGE}, min(seen) as first_seen_ms, max(last_seen) as last_seen_ms,
    max(case when has_ended = 1 or next_seen is null then first_missed end) as first_missed_ms,
    max(case when has_ended = 1 then first_missed end) as ended_ms,
    max(case when next_seen is null then 1 else 0 end) as is_latest
  from (
    select s.follower_rest_id as follower_rest_id, s.followee_rest_id as followee_rest_id, s.seen as seen, s.last_seen as last_seen,
      s.next_seen as next_seen, e.first_missed as first_missed, e.has_ended as has_ended,
      coalesce(sum(coalesce(e.has_ended, 0)) over (
        partition by s.follower_rest_id, s.followee_rest_id order by s.seen rows between unbounded preceding and 1 preceding), 0) as period
    from _edge_stretches s
    left join _edge_ends e on ${onEdge('s', 'e')} and e.seen = s.seen
  ) m
  group by ${EDGE}, period`,
    v_follows: `select p.follower_rest_id as follower_rest_id, r.screen_name as follower, p.followee_rest_id as followee_rest_id, e.screen_name as followee,
    ${isoTime('first_seen_ms')} as first_seen_at, ${isoTime('last_seen_ms')} as last_seen_at,
    ${isoTime('first_missed_ms')} as first_missed_at, ${isoTime('ended_ms')} as ended_at
  from follow_periods p
  left join v_users r on r.rest_id = p.follower_rest_id left join v_users e on e.rest_id = p.followee_rest_id
  where is_latest = 1`,
    v_current_follows: `select follower_rest_id, follower, followee_rest_id, followee, first_seen_at, last_seen_at, first_missed_at
  from v_follows where ended_at is null`,
    v_follow_changes: `${change(
      'came',
      `
    select ${EDGE}, max(started) as earliest, first_seen_ms as latest
    from (${earlierLists('followers', 'followee_rest_id')}
    union all${earlierLists('following', 'follower_rest_id')}) l
    group by ${EDGE}, first_seen_ms`,
    )}
  union all${change('went', `select ${EDGE}, last_seen_ms as earliest, ended_ms as latest from follow_periods where ended_ms is not null`)}`,
    v_complete_lists: `select l.side as kind, l.owner_rest_id as account_rest_id, u.screen_name as account,
    ${isoTime('l.started')} as started_at, ${isoTime('l.finished')} as finished_at
  from (
    select distinct store, crawl_id, side, owner_rest_id, ${milliseconds('started_at')} as started, ${milliseconds('finished_at')} as finished
    from list_snapshots
  ) l
  left join v_users u on u.rest_id = l.owner_rest_id`,
  };
}
