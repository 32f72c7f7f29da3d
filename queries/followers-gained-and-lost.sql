/*
title: How many followers did an account gain and lose?
topic: People
description: |
  A row is a period with the number of followers that were gained, or lost (a negative number), as complete lists of
  followers show. A change counts in the period in which it was noticed: it happened between that list and the one
  before. A follower is lost if two complete lists in a row lack it: it unfollowed, or its account is gone, as `cause` of
  `follow-changes` says. The number is null in periods in which no list could
  show a change. `is_partial` is 1 if a part of the changes may be missing or belong to an earlier period: in the periods
  of the first and the last list, after a period without a list, and where --since or --until cuts a period.
parameters:
  account: { type: account, description: the followed account }
  period: { type: choice, values: [day, week, month], default: week, description: the length of a period in UTC }
  since: { type: time, default: null, description: only changes noticed from this time on }
  until: { type: time, default: null, description: only changes noticed before this time }
needs:
  - { kind: followers, of: account, lists: 2 }
chart: { mark: columns, x: period_start, y: accounts, series: change, partial: is_partial, period: week, yLabel: accounts }
example: { account: HarbourNews, period: day }
*/
with recursive
units(name, snap, back, step) as (values
  ('day', '+0 days', '+0 days', '+1 day'),
  ('week', 'weekday 0', '-6 days', '+7 days'),
  ('month', 'start of month', '+0 days', '+1 month')
),
unit as (select * from units where name = :period),
lists(starts_on, finished_at, is_first, is_last) as materialized (
  select date(finished_at, snap, back), finished_at, row_number() over (order by finished_at) = 1,
    row_number() over (order by finished_at desc) = 1
  from v_complete_lists, unit
  where account_rest_id = :account and kind = 'followers'
),
changes(starts_on, change, accounts) as materialized (
  select date(latest_at, snap, back), case change when 'came' then 'gained' else 'lost' end,
    sum(case change when 'came' then 1 else -1 end)
  from v_follow_changes, unit
  where followee_rest_id = :account and (:since is null or latest_at >= :since) and (:until is null or latest_at < :until)
  group by 1, 2
),
-- To the last list, included, or to --until, excluded.
bounds(from_at, to_at) as (
  select coalesce(:since, min(finished_at)), min(coalesce(:until, '9999'), max(finished_at) || '~') from lists
),
periods(starts_on) as (
  select date(from_at, snap, back) from bounds, unit where from_at < to_at
  union all
  select date(starts_on, step) from periods, bounds, unit where date(starts_on, step) || 'T00:00:00.000Z' < to_at
),
counted(starts_on, change, accounts, is_seen, is_partial) as (
  select p.starts_on, k.change, coalesce(c.accounts, 0),
    exists (
      select 1 from lists l where l.starts_on = p.starts_on and not l.is_first
        and (:since is null or l.finished_at >= :since) and (:until is null or l.finished_at < :until)
    ),
    exists (select 1 from lists l where l.starts_on = p.starts_on and (l.is_first or l.is_last))
      or not exists (select 1 from lists l, unit where date(l.starts_on, step) = p.starts_on)
      or (:since is not null and :since > p.starts_on || 'T00:00:00.000Z')
      or (:until is not null and :until < date(p.starts_on, (select step from unit)) || 'T00:00:00.000Z')
  from periods p
  join (select 'gained' as change union all select 'lost') k
  left join changes c on c.starts_on = p.starts_on and c.change = k.change
)
select starts_on as period_start, change, case when is_seen or accounts <> 0 then accounts end as accounts, is_partial
from counted
order by starts_on, change
