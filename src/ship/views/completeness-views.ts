import type { Dialect } from './dialect.ts';
import type { Views } from './views.ts';

const LIST = 'coalesce(target_rest_id, target)';
const ACCOUNT_KINDS = ['timeline', 'replies', 'followers', 'following'];
/** The list of a crawl of some kinds. A condition beside an equality would make DuckDB compare all pairs. */
const listOf = (kinds: readonly string[]): string =>
  `case when c.kind in (${kinds.map((kind) => `'${kind}'`).join(', ')}) then c.list end`;

/** Returns the views of crawls, and of whether lists are complete (`v_completeness` of a store has the same rules). */
export function createCompletenessViews({ milliseconds, isoTime, jsonValue }: Dialect): Views {
  const isJoinedSince = `coalesce(ending, '') = 'joined' and ${jsonValue('options', 'since')} is not null`;
  /** The crawl of each list that ended last, among those that satisfy a condition. */
  const newest = (columns: string, condition: string): string => `select ${columns}
  from (
    select c.*, row_number() over (partition by kind, list order by finished desc, created desc, crawl_id desc, store) as place
    from _crawls c where ${condition}
  ) c
  where place = 1`;
  return {
    // A crawl is recorded at each of its changes.
    _crawls: `select store, crawl_id, kind, target, ${LIST} as list, options, state, reason, ending, items, requests,
    coalesce(erased_items, 0) as erased_items, ${milliseconds('created_at')} as created,
    ${milliseconds('coalesce(started_at, created_at)')} as started, ${milliseconds('finished_at')} as finished
  from (
    select c.*, row_number() over (partition by store, crawl_id order by entry desc, recorded_at desc) as place from crawls c
  ) c
  where place = 1`,
    _newest_crawls: newest('*', 'finished is not null'),
    _ended_crawls: newest(
      'store, crawl_id, kind, list, state, reason, erased_items, started',
      `finished is not null and state in ('complete', 'capped') and coalesce(ending, '') <> 'since' and not (${isJoinedSince})`,
    ),
    _list_sizes: `select 'timeline' as kind, author_rest_id as list, count(*) as stored
  from _tweets where author_rest_id is not null and seen_in_lists in (1, 3) group by author_rest_id
  union all
  select 'replies', author_rest_id, count(*)
  from _tweets where author_rest_id is not null and seen_in_lists in (2, 3) group by author_rest_id
  union all
  select 'followers', followee_rest_id, count(*) from v_current_follows group by followee_rest_id
  union all
  select 'following', follower_rest_id, count(*) from v_current_follows group by follower_rest_id`,
    _completeness: `select c.kind as kind, c.list as list, c.target as target, c.state as state, c.reason as reason, c.ending as ending,
    c.items as items, c.requests as requests, c.finished as finished, u.screen_name as screen_name,
    case when c.erased_items > coalesce(e.erased_items, 0) then c.erased_items else coalesce(e.erased_items, 0) end as erased,
    coalesce(i.intervals, 0) as intervals, coalesce(g.gaps, 0) as gaps,
    case when u.rest_id is not null then coalesce(s.stored, 0)
      when c.kind in ('timeline', 'replies', 'followers', 'following') then 0 end as stored,
    case when c.kind = 'replies' then u.statuses_count when c.kind = 'followers' then u.followers_count
      when c.kind = 'following' then u.following_count end as reported,
    case
      when coalesce(i.intervals, 0) = 1 and c.kind = 'timeline' and coalesce(g.gaps, 0) = 0 and i.served is not null then coalesce(n.started, i.served)
      when coalesce(i.intervals, 0) > 0 then null
      when c.kind in ('followers', 'following') then case when e.state = 'complete' then l.started end
      when e.state = 'complete' and (c.kind in ('profile', 'tweet', 'timeline') or c.kind = 'replies' and e.reason = 'no_tweets')
        then e.started end as complete_from
  from _newest_crawls c
  left join _ended_crawls e on e.kind = c.kind and e.list = c.list
  left join (
    select list, max(started) as started from _crawls
    where kind = 'timeline' and state = 'complete' and (ending = 'served' or ending = 'joined' and not (${isJoinedSince})) group by list
  ) n on n.list = ${listOf(['timeline'])}
  left join (
    select kind, target, count(*) as intervals, max(case when list_end = 'served' then newest end) as served from _coverage group by kind, target
  ) i on i.kind = c.kind and i.target = c.list
  left join (select kind, target, count(*) as gaps from _gaps group by kind, target) g on g.kind = c.kind and g.target = c.list
  left join (
    select store, crawl_id, max(${milliseconds('started_at')}) as started from list_snapshots group by store, crawl_id
  ) l on l.store = e.store and l.crawl_id = e.crawl_id
  left join v_users u on u.rest_id = ${listOf(ACCOUNT_KINDS)}
  left join _list_sizes s on s.kind = c.kind and s.list = c.list`,
    v_completeness: `select kind, list as target_rest_id, coalesce(screen_name, target) as target, state, reason, ending,
    case when complete_from is not null and erased = 0 then 1 else 0 end as is_complete,
    case when erased = 0 then ${isoTime('complete_from')} end as complete_as_of, stored, reported,
    case when reported > 0 then 1.0 * stored / reported when reported = 0 and stored = 0 then 1.0 end as score,
    intervals, gaps, items, requests, ${isoTime('finished')} as finished_at, erased
  from _completeness`,
  };
}
