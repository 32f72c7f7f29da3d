/*
title: How much engagement do the tweets of an account get over time?
topic: Tweets
description: |
  A row is a period with the number of original tweets that the account wrote in it, and their median and mean
  engagement: likes, retweets, replies and quotes when last seen. The median and the mean are null in periods without
  tweets. Tweets that were seen soon after they were written may have got more since. `is_partial` is 1 if a part of the
  period was not observed.
parameters:
  account: { type: account, description: the author }
  period: { type: choice, values: [day, week, month], default: month, description: the length of a period in UTC }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
needs:
  - { kind: [timeline, replies], of: account }
chart: { mark: points, x: period_start, y: median_engagement, period: month, yLabel: median engagement of a tweet }
example: { account: HarbourNews }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
-- The times in which a list of the account was read, without overlaps and within --since and --until.
clipped(from_ms, to_ms) as (
  select max(coalesce(from_ms, 0), coalesce(max(to_ms) over earlier, 0), coalesce(unixepoch(:since) * 1000, 0)),
    min(to_ms, coalesce(unixepoch(:until) * 1000, to_ms))
  from v_observed_periods
  where account_rest_id = :account
  window earlier as (order by from_ms, to_ms rows between unbounded preceding and 1 preceding)
),
stretches as materialized (select * from clipped where from_ms < to_ms),
posts(written_ms, starts_on, engagement) as materialized (
  select created_ms, date(created_ms / 1000, 'unixepoch', snap, back), engagement
  from v_tweets, unit
  where author_rest_id = :account and is_reply is not 1 and created_ms is not null
    and (:since is null or created_ms >= unixepoch(:since) * 1000) and (:until is null or created_ms < unixepoch(:until) * 1000)
),
ranked as (
  select starts_on, engagement, row_number() over (partition by starts_on order by engagement) as rank,
    count(*) over (partition by starts_on) as n
  from posts where engagement is not null
),
middles(starts_on, median, mean) as materialized (
  select starts_on, avg(engagement) filter (where rank in ((n + 1) / 2, (n + 2) / 2)), avg(engagement) from ranked group by 1
),
numbers(starts_on, tweets) as materialized (select starts_on, count(*) from posts group by 1),
bounds(from_ms, to_ms) as (
  select coalesce(unixepoch(:since) * 1000, (select min(written_ms) from posts)),
    max(coalesce((select max(to_ms) from stretches), 0), coalesce((select max(written_ms) + 1 from posts), 0))
),
periods(starts_on) as (
  select date(from_ms / 1000, 'unixepoch', snap, back) from bounds, unit where from_ms < to_ms
  union all
  select date(starts_on, step) from periods, bounds, unit where unixepoch(starts_on, step) * 1000 < to_ms
),
bins(starts_on, from_ms, to_ms) as (
  select starts_on, unixepoch(starts_on) * 1000, unixepoch(starts_on, step) * 1000 from periods, unit
),
observed(starts_on, length_ms, observed_ms) as (
  select b.starts_on, b.to_ms - b.from_ms,
    coalesce((select sum(max(0, min(s.to_ms, b.to_ms) - max(s.from_ms, b.from_ms))) from stretches s), 0)
  from bins b
)
select o.starts_on as period_start, coalesce(n.tweets, case when o.observed_ms > 0 then 0 end) as tweets,
  m.median as median_engagement, round(m.mean, 1) as mean_engagement, o.observed_ms < o.length_ms as is_partial
from observed o
left join numbers n on n.starts_on = o.starts_on
left join middles m on m.starts_on = o.starts_on
order by o.starts_on
