/*
title: What did accounts change in their profiles?
topic: People
description: |
  A row is a changed field of a profile, without the counts. The change happened after `last_seen_at` and not later than
  `changed_at`.
parameters:
  account: { type: account, default: null, description: "the account; without it, all accounts" }
  since: { type: time, default: null, description: only changes noticed from this time on }
  until: { type: time, default: null, description: only changes noticed before this time }
  limit: { type: integer, min: 1, default: 100, description: "the number of changes, newest first" }
needs:
  - { kind: profile, of: account, lists: 2 }
example: { limit: 20 }
*/
with changes as (
  select * from v_user_changes where rest_id = :account
  union all select * from v_user_changes where :account is null
)
select screen_name, field, old_value, new_value, last_seen_at, changed_at
from changes
where field not in ('followers_count', 'following_count', 'favourites_count', 'media_count', 'statuses_count')
  and (:since is null or changed_at >= :since) and (:until is null or changed_at < :until)
order by changed_at desc, screen_name, field
limit :limit
