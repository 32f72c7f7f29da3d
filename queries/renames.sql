/*
title: Which accounts changed their handle?
topic: People
description: |
  A row is a handle that an account no longer has, with its present handle. It was changed after `last_seen_at` and not
  later than `noticed_at`. If another account has the old handle now, `taken_by` is its id.
parameters:
  account: { type: account, default: null, description: "the account; without it, all accounts" }
  limit: { type: integer, min: 1, default: 100, description: "the number of changes, newest first" }
needs:
  - { items: users, of: account }
*/
with periods as (
  select * from v_handle_periods where rest_id = :account
  union all select * from v_handle_periods where :account is null
)
select p.screen_name as old_handle, u.screen_name as handle, p.rest_id, p.valid_from, p.last_seen_at, p.valid_to as noticed_at,
  (select t.rest_id from v_users t where t.screen_name = p.screen_name and t.rest_id <> p.rest_id limit 1) as taken_by
from periods p join v_users u on u.rest_id = p.rest_id
where p.valid_to is not null and p.screen_name <> u.screen_name
order by p.valid_to desc, p.rest_id
limit :limit
