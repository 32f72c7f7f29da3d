/*
title: At which hours does an account write?
topic: Tweets
description: |
  A row is an hour of a day of the week (UTC), with the number of stored tweets and replies that the account wrote in it,
  and their mean engagement: likes, retweets, replies and quotes when last seen. Hours that were observed and have no
  tweet have 0; hours that were not observed are null.
parameters:
  account: { type: account, description: the author }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
needs:
  - { kind: [timeline, replies], of: account }
chart: { mark: heatmap, x: hour_utc, y: weekday, value: tweets, xLabel: hour of the day (UTC), yLabel: day of the week }
example: { account: HarbourNews }
*/
with recursive
cells(day, hour) as (
  select 0, 0 union all select day + (hour = 23), (hour + 1) % 24 from cells where day < 6 or hour < 23
),
observed(from_ms, to_ms) as materialized (
  select max(coalesce(from_ms, 0), coalesce(unixepoch(:since) * 1000, 0)), min(to_ms, coalesce(unixepoch(:until) * 1000, to_ms))
  from v_observed_periods where account_rest_id = :account
),
-- Milliseconds of a week, an hour and the time from Monday to Thursday: the first day of the epoch was a Thursday.
spans(week, hour, thursday) as (values (604800000, 3600000, 259200000)),
posts(day, hour, tweets, mean_engagement) as materialized (
  select (created_ms / 86400000 + 3) % 7, created_ms / 3600000 % 24, count(*), round(avg(engagement), 1)
  from v_tweets
  where author_rest_id = :account and created_ms >= 0
    and (:since is null or created_ms >= unixepoch(:since) * 1000) and (:until is null or created_ms < unixepoch(:until) * 1000)
  group by 1, 2
)
select substr('MonTueWedThuFriSatSun', 3 * c.day + 1, 3) as weekday, printf('%02d', c.hour) as hour_utc,
  case when p.tweets is not null then p.tweets
    -- The hour lies in a period if its first occurrence after the start does.
    when exists (
      select 1 from observed o, spans s
      where o.from_ms + ((24 * c.day + c.hour) * s.hour - (o.from_ms + s.thursday) % s.week + s.week) % s.week + s.hour <= o.to_ms
    ) then 0 end as tweets,
  p.mean_engagement
from cells c left join posts p on p.day = c.day and p.hour = c.hour
order by c.day, c.hour
