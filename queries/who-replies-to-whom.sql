/*
title: Who replies to whom?
topic: Conversations
description: |
  A row is a pair of accounts with the number of stored replies that one wrote to the other, the median time to a reply
  in minutes, and the newest reply. The time is known if the tweet is stored that the reply answers. Replies to oneself
  are left out.
parameters:
  account: { type: account, default: null, description: "only replies by or to this account" }
  limit: { type: integer, min: 1, default: 20, description: the number of pairs }
needs:
  - { kind: replies, of: account, lists: 0 }
example: { limit: 10 }
*/
with replies as (
  select * from v_replies where author_rest_id = :account
  union select * from v_replies where parent_author_rest_id = :account
  union all select * from v_replies where :account is null
),
pairs as materialized (
  select author, author_rest_id, parent_author, coalesce(parent_author_rest_id, lower(parent_author)) as parent_key,
    latency_seconds, created_at,
    row_number() over (partition by author_rest_id, coalesce(parent_author_rest_id, lower(parent_author)) order by latency_seconds) as rank,
    count(latency_seconds) over (partition by author_rest_id, coalesce(parent_author_rest_id, lower(parent_author))) as known,
    count(*) over (partition by author_rest_id, coalesce(parent_author_rest_id, lower(parent_author))) as n
  from replies
  where author_rest_id is not null and parent_author is not null
    and parent_author_rest_id is not author_rest_id and parent_author is not author
)
select author, parent_author, n as replies,
  -- Unknown times come first.
  round(avg(latency_seconds) filter (where rank - (n - known) in ((known + 1) / 2, (known + 2) / 2)) / 60.0, 1) as median_minutes,
  max(created_at) as latest_at
from pairs
group by author_rest_id, parent_key
order by replies desc, author, parent_author
limit :limit
