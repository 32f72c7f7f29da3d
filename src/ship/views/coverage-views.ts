import type { Dialect } from './dialect.ts';
import type { Views } from './views.ts';

const BY_LIST = 'partition by kind, target order by floor, newest, oldest rows between unbounded preceding and';
/** The account of a list, whose handle views show. A condition beside the equality would make DuckDB compare all pairs. */
const accountOf = (list: string): string => `case when ${list}.kind in ('timeline', 'replies') then ${list}.target end`;

/**
 * Returns the views of what is stored without a gap. Parts of a list are united if they overlap; two parts that share only an
 * instant may have missed other items of that instant (invariant 5).
 */
export function createCoverageViews({ milliseconds, isoTime, latest }: Dialect): Views {
  return {
    // A part with the end of its list covers all items below.
    _coverage_parts: `select kind, target, ${milliseconds('newest_at')} as newest, newest_rest_id, ${milliseconds('oldest_at')} as oldest,
    oldest_rest_id, list_end, case when list_end is null then ${milliseconds('oldest_at')} else -9000000000000000 end as floor,
    min(${milliseconds('claimed_at')}) as claimed
  from coverage_claims
  group by kind, target, newest_at, newest_rest_id, oldest_at, oldest_rest_id, list_end`,
    _coverage: `select kind, target, max(newest) as newest, ${latest('newest_rest_id', 'text', 'newest', '-claimed')} as newest_rest_id,
    min(oldest) as oldest, ${latest('oldest_rest_id', 'text', '-oldest', '-claimed')} as oldest_rest_id,
    case when max(case when list_end = 'served' then 1 else 0 end) = 1 then 'served' else max(list_end) end as list_end
  from (
    select p.*, sum(case when floor < above then 0 else 1 end) over (${BY_LIST} current row) as part
    from (select c.*, max(newest) over (${BY_LIST} 1 preceding) as above from _coverage_parts c) p
  ) p
  group by kind, target, part`,
    v_coverage: `select c.kind as kind, c.target as target, u.screen_name as account, ${isoTime('c.oldest')} as oldest_at, ${isoTime('c.newest')} as newest_at,
    c.oldest_rest_id as oldest_rest_id, c.newest_rest_id as newest_rest_id, c.list_end as list_end
  from _coverage c left join v_users u on u.rest_id = ${accountOf('c')}`,
    // A later search of a range replaces what an earlier one found there.
    _saturated_windows: `select w.query as query, w.from_ms as from_ms, w.to_ms as to_ms
  from _search_windows w
  left join _search_windows n on n.query = w.query and n.from_ms <= w.from_ms and n.to_ms >= w.to_ms and n.searched > w.searched
  where w.is_saturated = 1
  group by w.query, w.from_ms, w.to_ms, w.searched
  having count(n.query) = 0`,
    v_search_windows: `select w.query as query, ${isoTime('w.from_ms')} as from_at, ${isoTime('w.to_ms')} as to_at,
    max(case when s.query is null then 0 else 1 end) as is_saturated, ${isoTime('w.searched')} as searched_at
  from _search_windows w
  left join _saturated_windows s on s.query = w.query and s.from_ms < w.to_ms and s.to_ms > w.from_ms
  group by w.query, w.from_ms, w.to_ms, w.searched`,
    _gaps: `select kind, target, older, newer
  from (
    select kind, target, list_end, oldest as newer,
      max(newest) over (partition by kind, target order by newest rows between 1 preceding and 1 preceding) as older
    from _coverage
  ) c
  where list_end is null
  union all
  select 'search', query, from_ms, to_ms from _saturated_windows`,
    v_gaps: `select g.kind as kind, g.target as target, u.screen_name as account, ${isoTime('g.older')} as older_at, ${isoTime('g.newer')} as newer_at
  from _gaps g left join v_users u on u.rest_id = ${accountOf('g')}`,
  };
}

/** Returns the latest search of each range. */
export const createSearchWindows = ({ milliseconds, latest }: Dialect): Views => ({
  _search_windows: `select query, from_ms, to_ms, max(searched) as searched, ${latest('is_saturated', 'integer', 'searched')} as is_saturated
  from (
    select query, ${milliseconds('from_at')} as from_ms, ${milliseconds('to_at')} as to_ms, ${milliseconds('searched_at')} as searched,
      case when is_saturated then 1 else 0 end as is_saturated
    from search_windows
  ) w
  where from_ms < to_ms
  group by query, from_ms, to_ms`,
});
