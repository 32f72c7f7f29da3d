/*
title: Which hashtags were used most, and when?
topic: Hashtags
description: |
  A row is a period and a hashtag with the number of stored tweets that have the hashtag, their authors, and their
  percentage of all stored tweets of the period. Without --tag, the hashtags are the most frequent ones of the whole
  time. The numbers are null in periods without stored tweets. `is_partial` is 1 in the first and the last period.
  The number of stored tweets depends on the crawls: the percentage is comparable between periods.
parameters:
  tag: { type: text, default: null, description: "a hashtag, with or without #" }
  account: { type: account, default: null, description: only tweets of this account }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
  limit: { type: integer, min: 1, max: 20, default: 5, description: the number of hashtags }
needs:
  - { items: tweets, of: account }
chart: { mark: line, x: period_start, y: tweets, series: tag, partial: is_partial, period: week, yLabel: stored tweets }
example: { period: month, since: "2025-01-01", limit: 3 }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
chosen as (
  select id, author_id, created_at from tweets where author_id = (select id from users where rest_id = :account)
  union all select id, author_id, created_at from tweets where :account is null
),
posts(id, author_id, starts_on) as materialized (
  select id, author_id, date(created_at / 1000, 'unixepoch', snap, back) from chosen, unit
  where created_at is not null and (:since is null or created_at >= unixepoch(:since) * 1000)
    and (:until is null or created_at < unixepoch(:until) * 1000)
),
used(tag, starts_on, author_id) as materialized (
  select h.tag, p.starts_on, p.author_id from posts p join tweet_hashtags h on h.tweet_id = p.id
),
tags(tag, place) as materialized (
  select tag, row_number() over (order by count(*) desc, tag) from used
  where :tag is null or tag = lower(ltrim(:tag, '#')) group by tag
  order by 2 limit :limit
),
numbers as materialized (
  select tag, starts_on, count(*) as tweets, count(distinct author_id) as authors from used group by tag, starts_on
),
totals as materialized (select starts_on, count(*) as tweets from posts group by starts_on),
ends(first_on, last_on) as (select min(starts_on), max(starts_on) from totals),
periods(starts_on) as (
  select first_on from ends where first_on is not null
  union all
  select date(starts_on, step) from periods, ends, unit where date(starts_on, step) <= last_on
)
select p.starts_on as period_start, t.tag, case when a.tweets > 0 then coalesce(n.tweets, 0) end as tweets,
  case when a.tweets > 0 then coalesce(n.authors, 0) end as authors,
  -- Never 100 below all, and never 0 above none.
  min(max(round(100.0 * coalesce(n.tweets, 0) / a.tweets, 2), 0.01 * (coalesce(n.tweets, 0) > 0)),
    100 - 0.01 * (coalesce(n.tweets, 0) < a.tweets)) as percent_of_stored_tweets,
  p.starts_on in (first_on, last_on) as is_partial
from periods p join tags t join ends
left join totals a on a.starts_on = p.starts_on
left join numbers n on n.tag = t.tag and n.starts_on = p.starts_on
order by p.starts_on, t.place
