/*
title: Which accounts are no longer available?
topic: People
description: |
  A row is an account for whose id the service answered 404. It does not say whether the account was suspended, deleted
  or deactivated. It happened after `last_seen_at` and not later than `noticed_at`.
parameters:
  since: { type: time, default: null, description: only accounts noticed from this time on }
needs:
  - { items: users }
*/
select screen_name, rest_id, last_seen_at, noticed_at
from v_unavailable_accounts
where :since is null or noticed_at >= :since
order by noticed_at desc, rest_id
