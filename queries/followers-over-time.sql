/*
title: How did an account's number of followers grow?
topic: People
description: |
  A row is a period with the number of followers that the service reported last in it, and the change since the period
  before. The count is null in periods in which it was not seen. Between two observations of the same count, the count
  is taken as unchanged.
parameters:
  account: { type: account, description: the account }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only observations from this time on }
  until: { type: time, default: null, description: only observations before this time }
needs:
  - { items: users, of: account }
  - { kind: profile, of: account, lists: 2 }
chart: { mark: line, x: period_start, y: followers, period: week, yLabel: followers reported by the service }
example: { account: HarbourNews, period: day }
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
-- The first observation of the count that is certain.
first_profile(at) as (
  select min(c.finished_at) from names join crawls c on c.kind = 'profile' and c.target = names.target
  where c.target_rest_id = :account and c.state = 'complete'
),
-- Each count, when it was last seen, and when the next one was first seen.
counts(followers, last_seen_ms, changed_ms) as (
  select h.followers_count, h.last_seen_at, h.changed_at
  from users u join user_history h on h.user_id = u.id
  where u.rest_id = :account and h.followers_count is not null
  union all
  select u.followers_count, coalesce(b.last_seen_at, max(coalesce(u.profile_at, 0), coalesce(s.last_summary_at, 0))), null
  from users u
  left join _user_last_seen s on s.user_id = u.id
  left join _user_stale_columns b on b.user_id = u.id and b.column_name = 'followers_count'
  where u.rest_id = :account and u.followers_count is not null
),
versions(followers, from_ms, to_ms) as materialized (
  select followers,
    coalesce(
      lag(changed_ms) over (order by changed_ms is null, changed_ms),
      min(last_seen_ms, coalesce((select at from first_profile), last_seen_ms))),
    last_seen_ms
  from counts
),
bounds(from_ms, to_ms) as (
  select coalesce(unixepoch(:since) * 1000, min(from_ms)), coalesce(unixepoch(:until) * 1000, max(to_ms) + 1) from versions
),
periods(starts_on) as (
  select date(from_ms / 1000, 'unixepoch', snap, back) from bounds, unit where from_ms < to_ms
  union all
  select date(starts_on, step) from periods, bounds, unit where unixepoch(starts_on, step) * 1000 < to_ms
),
seen(starts_on, from_ms, to_ms, followers, at) as (
  select p.starts_on, p.from_ms, p.to_ms, v.followers, max(min(v.to_ms, p.to_ms - 1))
  from (
    select starts_on, max(unixepoch(starts_on) * 1000, b.from_ms) as from_ms,
      min(unixepoch(starts_on, step) * 1000, b.to_ms) as to_ms
    from periods, bounds b, unit
  ) p
  left join versions v on v.from_ms < p.to_ms and v.to_ms >= p.from_ms
  group by p.starts_on
)
select starts_on as period_start, followers,
  followers - (select v.followers from versions v where v.from_ms < seen.from_ms order by v.from_ms desc limit 1) as change,
  strftime('%Y-%m-%dT%H:%M:%fZ', at / 1000.0, 'unixepoch') as as_of
from seen
order by starts_on
