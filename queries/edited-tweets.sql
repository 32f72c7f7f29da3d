/*
title: Which tweets were edited?
topic: Tweets
description: |
  A row is a change of the text of a tweet. It was made after `last_seen_at` and not later than `changed_at`.
parameters:
  account: { type: account, default: null, description: "the author; without it, all authors" }
  limit: { type: integer, min: 1, default: 100, description: "the number of changes, last noticed first" }
needs:
  - { kind: [timeline, replies], of: account, lists: 2 }
*/
with changes as (
  select * from v_tweet_changes where rest_id in (select rest_id from v_tweets where author_rest_id = :account)
  union all select * from v_tweet_changes where :account is null
)
select author, rest_id, old_value as before, new_value as after, last_seen_at, changed_at
from changes
where field = 'text'
order by changed_at desc, rest_id
limit :limit
