/*
title: Who had a handle, and when?
topic: People
description: |
  A row is a time during which an account had the handle. A handle that passed from one account to another has a row for
  each. It was given up after `last_seen_at` and not later than `valid_to`, which is null for the present owner.
parameters:
  handle: { type: text, description: "the handle, with or without @" }
needs:
  - { items: users }
example: { handle: HarbourNews }
*/
select p.rest_id, u.screen_name as handle_now, p.valid_from, p.last_seen_at, p.valid_to
from v_handle_periods p join users u on u.rest_id = p.rest_id
where p.screen_name = ltrim(:handle, '@')
order by p.valid_from, p.rest_id
