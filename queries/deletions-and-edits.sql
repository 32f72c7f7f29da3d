/*
title: When did an account delete and edit tweets?
topic: Tweets
description: |
  A row is a period with the number of tweets of the account whose change was noticed in it: `deleted` (the service
  answered 404 for the tweet), `suspected` (missing from the list of the account) and `edited` (another text). Only
  crawls that read a part of a list again can notice a change, so the number is null in periods without a crawl of the
  tweets of the account after the first one. `is_partial` is 1 unless a crawl of the period read the whole timeline
  (--full-refresh). A tweet that is seen again is no longer deleted.
parameters:
  account: { type: account, description: the author }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only changes noticed from this time on }
  until: { type: time, default: null, description: only changes noticed before this time }
needs:
  - { kind: [timeline, replies], of: account, lists: 2 }
  - { items: checks, of: account }
chart: { mark: columns, x: period_start, y: tweets, series: change, partial: is_partial, period: week, yLabel: tweets }
example: { account: nightsky_now, period: day }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
-- The names by which crawls call the account.
names(target) as (
  select 'id:' || :account
  union select lower(screen_name) from users where rest_id = :account and screen_name is not null
  union select lower(h.screen_name) from users u join user_history h on h.user_id = u.id
    where u.rest_id = :account and h.screen_name is not null
),
reads(at, is_whole, is_first) as materialized (
  select coalesce(c.started_at, c.created_at), c.kind = 'timeline' and c.ending = 'served' and c.state = 'complete',
    row_number() over (partition by c.kind order by c.id) = 1
  from names join crawls c on c.kind in ('timeline', 'replies') and c.target = names.target
  where c.target_rest_id = :account and c.pages > 0
),
readings(starts_on, at, is_whole) as materialized (
  select date(at / 1000, 'unixepoch', snap, back), at, is_whole from reads, unit
  where not is_first and (:since is null or at >= unixepoch(:since) * 1000) and (:until is null or at < unixepoch(:until) * 1000)
),
noticed(change, at) as (
  select state, suspected_at from v_deleted_tweets where author_rest_id = :account
  union all
  select 'edited', changed_at from v_tweet_changes
  where rest_id in (select rest_id from v_tweets where author_rest_id = :account) and field = 'text'
),
changes(starts_on, change, tweets, at) as materialized (
  select date(at, snap, back), change, count(*), max(unixepoch(at) * 1000) from noticed, unit
  where (:since is null or at >= :since) and (:until is null or at < :until)
  group by 1, 2
),
bounds(from_ms, to_ms) as (
  select coalesce(unixepoch(:since) * 1000, (select min(at) from reads)),
    max(coalesce((select max(at) from readings), 0), coalesce((select max(at) from changes), 0))
),
periods(starts_on) as (
  select date(from_ms / 1000, 'unixepoch', snap, back) from bounds, unit where from_ms <= to_ms
  union all
  select date(starts_on, step) from periods, bounds, unit where unixepoch(starts_on, step) * 1000 <= to_ms
)
select p.starts_on as period_start, k.change,
  case when c.tweets is not null then c.tweets
    when exists (select 1 from readings r where r.starts_on = p.starts_on) then 0 end as tweets,
  not exists (select 1 from readings r where r.starts_on = p.starts_on and r.is_whole) as is_partial
from periods p
join (select 'deleted' as change union all select 'edited' union all select 'suspected') k
left join changes c on c.starts_on = p.starts_on and c.change = k.change
order by p.starts_on, k.change
