/*
title: How much does an account write?
topic: Tweets
description: |
  A row is a period with the number of stored tweets that the account wrote in it: one for original tweets and one for
  replies. Replies are known only if the list of tweets and replies was crawled. The number is 0 only if the lists show
  that nothing was written, and null if the period was not observed. `is_partial` is 1 if a part of the period was not
  observed: then the number is the least that was written. Tweets of which it is unknown whether they are replies have
  rows of their own; deleted tweets count.
parameters:
  account: { type: account, description: the author }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
needs:
  - { kind: [timeline, replies], of: account }
chart: { mark: columns, x: period_start, y: tweets, series: kind, partial: is_partial, period: week, yLabel: tweets }
example: { account: HarbourNews, period: month }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
-- The observed times. The list of tweets and replies shows original tweets, too.
observed(kind, from_ms, to_ms) as (
  select 'original', coalesce(from_ms, 0), to_ms from v_observed_periods where account_rest_id = :account
  union all
  select 'reply', coalesce(from_ms, 0), to_ms from v_observed_periods where account_rest_id = :account and kind = 'replies'
),
-- The same without overlaps, within --since and --until.
clipped(kind, from_ms, to_ms) as (
  select kind, max(from_ms, coalesce(max(to_ms) over earlier, 0), coalesce(unixepoch(:since) * 1000, 0)),
    min(to_ms, coalesce(unixepoch(:until) * 1000, to_ms))
  from observed
  window earlier as (partition by kind order by from_ms, to_ms rows between unbounded preceding and 1 preceding)
),
stretches as materialized (select * from clipped where from_ms < to_ms),
posts(kind, written_ms, starts_on) as materialized (
  select case is_reply when 0 then 'original' when 1 then 'reply' else 'not known' end, created_ms,
    date(created_ms / 1000, 'unixepoch', snap, back)
  from v_tweets, unit
  where author_rest_id = :account and created_ms is not null
    and (:since is null or created_ms >= unixepoch(:since) * 1000) and (:until is null or created_ms < unixepoch(:until) * 1000)
),
bounds(from_ms, to_ms) as (
  select coalesce(unixepoch(:since) * 1000, (select min(written_ms) from posts), (select max(to_ms) - 1 from stretches)),
    max(coalesce((select max(to_ms) from stretches), 0), coalesce((select max(written_ms) + 1 from posts), 0))
),
periods(starts_on) as (
  select date(from_ms / 1000, 'unixepoch', snap, back) from bounds, unit where from_ms < to_ms
  union all
  select date(starts_on, step) from periods, bounds, unit where unixepoch(starts_on, step) * 1000 < to_ms
),
bins(starts_on, kind, from_ms, to_ms) as (
  select starts_on, kind, unixepoch(starts_on) * 1000, unixepoch(starts_on, step) * 1000
  from periods, unit, (select kind from stretches union select kind from posts)
),
numbers(kind, starts_on, tweets) as materialized (select kind, starts_on, count(*) from posts group by kind, starts_on),
counted(starts_on, kind, tweets, length_ms, observed_ms) as (
  select b.starts_on, b.kind, coalesce(n.tweets, 0), b.to_ms - b.from_ms, coalesce((
    select sum(max(0, min(s.to_ms, b.to_ms) - max(s.from_ms, b.from_ms))) from stretches s where s.kind = b.kind
  ), 0)
  from bins b left join numbers n on n.kind = b.kind and n.starts_on = b.starts_on
)
select starts_on as period_start, kind, case when tweets > 0 or observed_ms > 0 then tweets end as tweets,
  observed_ms < length_ms as is_partial
from counted
where kind <> 'not known' or tweets > 0
order by starts_on, kind
