/*
title: Whom does an account mention?
topic: Conversations
description: |
  A row is a handle in stored tweets of the account, with the number of tweets. The account behind it is the last one
  seen with the handle, if it is stored.
parameters:
  account: { type: account, description: the author }
  limit: { type: integer, min: 1, default: 10, description: the number of handles }
needs:
  - { items: tweets, of: account }
chart: { mark: bars, x: mentioned, y: tweets, xLabel: mentioned handle, yLabel: stored tweets }
example: { account: HarbourNews }
*/
select mentioned, mentioned_rest_id, mentioned_name, count(*) as tweets, max(created_at) as latest_at
from v_mentions
where author_rest_id = :account
group by mentioned
order by tweets desc, mentioned
limit :limit
