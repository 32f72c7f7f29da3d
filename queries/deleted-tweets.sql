/*
title: Which tweets were deleted?
topic: Tweets
description: |
  A row is a stored tweet that is missing from the list of its author (`suspected`) or that the service reports as
  deleted (`deleted`). Only crawls that read a part of a list again notice a deletion, and `trawl recheck tweets`. A
  tweet that is seen again is left out.
parameters:
  account: { type: account, default: null, description: "the author; without it, all authors" }
  since: { type: time, default: null, description: only tweets noticed from this time on }
  limit: { type: integer, min: 1, default: 100, description: "the number of tweets, last noticed first" }
needs:
  - { kind: [timeline, replies], of: account, lists: 2 }
  - { items: checks, of: account }
*/
with gone as (
  select * from v_deleted_tweets where author_rest_id = :account
  union all select * from v_deleted_tweets where :account is null
)
select author, state, created_at, last_seen_at, suspected_at, confirmed_at, text, rest_id
from gone
where :since is null or coalesce(confirmed_at, suspected_at) >= :since
order by suspected_at desc, rest_id
limit :limit
