/*
title: How many tweets did a search find over time?
topic: Searches
description: |
  A row is a period with the number of tweets written in it that searches with this string found, and the number of
  their authors. A search shows one page, so the numbers are never proven to be complete. The number is 0 only in time
  that a backfill searched, and null in time that no backfill searched and of which nothing was found. `is_partial` is 1
  if a part of the period was not searched, or if a day of it has more tweets than the service shows: then the number is
  the least that there are.
parameters:
  search: { type: search, description: "the search string, without the dates of a backfill" }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
needs:
  - { kind: search, of: search }
chart: { mark: columns, x: period_start, y: tweets, partial: is_partial, period: week, yLabel: tweets found }
example: { search: "#nightsky", period: month }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
-- The search itself, and its windows in a backfill, which have dates. Few searches are read before their many hits.
found(tweet_id) as (
  select h.tweet_id from searches s cross join search_hits h on h.search_id = s.id
  where substr(s.query, 1, length(:search)) = :search collate nocase
    and (length(s.query) = length(:search) or substr(s.query, length(:search) + 1) glob ' since:????-??-?? until:????-??-??')
),
posts(written_ms, author_id, starts_on) as materialized (
  select created_at, author_id, date(created_at / 1000, 'unixepoch', snap, back)
  from tweets, unit
  where id in (select tweet_id from found) and created_at is not null
    and (:since is null or created_at >= unixepoch(:since) * 1000) and (:until is null or created_at < unixepoch(:until) * 1000)
),
-- The searched time without overlaps, within --since and --until.
searched(from_ms, to_ms) as (
  select unixepoch(from_at) * 1000, unixepoch(to_at) * 1000 from v_search_windows where query = :search
),
clipped(from_ms, to_ms) as (
  select max(from_ms, coalesce(max(to_ms) over earlier, 0), coalesce(unixepoch(:since) * 1000, 0)),
    min(to_ms, coalesce(unixepoch(:until) * 1000, to_ms))
  from searched
  window earlier as (order by from_ms, to_ms rows between unbounded preceding and 1 preceding)
),
stretches as materialized (select * from clipped where from_ms < to_ms),
saturated(from_ms, to_ms) as materialized (
  select unixepoch(older_at) * 1000, unixepoch(newer_at) * 1000 from v_gaps where kind = 'search' and target = :search
),
bounds(from_ms, to_ms) as (
  select coalesce(unixepoch(:since) * 1000, min(written_ms)), max(written_ms) + 1 from (
    select written_ms from posts
    union all select from_ms from stretches
    union all select to_ms - 1 from stretches
  )
),
periods(starts_on) as (
  select date(from_ms / 1000, 'unixepoch', snap, back) from bounds, unit where from_ms < to_ms
  union all
  select date(starts_on, step) from periods, bounds, unit where unixepoch(starts_on, step) * 1000 < to_ms
),
bins(starts_on, from_ms, to_ms) as (
  select starts_on, unixepoch(starts_on) * 1000, unixepoch(starts_on, step) * 1000 from periods, unit
),
numbers(starts_on, tweets, authors) as materialized (
  select starts_on, count(*), count(distinct author_id) from posts group by starts_on
),
counted(starts_on, tweets, authors, searched_ms, length_ms, is_saturated) as (
  select b.starts_on, coalesce(n.tweets, 0), coalesce(n.authors, 0),
    coalesce((select sum(max(0, min(s.to_ms, b.to_ms) - max(s.from_ms, b.from_ms))) from stretches s), 0),
    b.to_ms - b.from_ms,
    exists (select 1 from saturated s where s.from_ms < b.to_ms and s.to_ms > b.from_ms)
  from bins b left join numbers n on n.starts_on = b.starts_on
)
select starts_on as period_start, case when tweets > 0 or searched_ms > 0 then tweets end as tweets,
  case when tweets > 0 or searched_ms > 0 then authors end as authors, searched_ms < length_ms or is_saturated as is_partial
from counted
order by starts_on
