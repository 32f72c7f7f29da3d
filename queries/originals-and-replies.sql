/*
title: How many of an account's tweets are replies?
topic: Conversations
description: |
  A row is an author with the number of stored original tweets, replies, and tweets of which it is unknown: those that only
  a search, a community, a list or tweet-detail showed.
parameters:
  account: { type: account, default: null, description: "the author; without it, the authors of most tweets" }
  limit: { type: integer, min: 1, default: 10, description: the number of authors }
needs:
  - { kind: replies, of: account, lists: 0 }
*/
with posts as (
  select * from v_tweets where author_rest_id = :account
  union all select * from v_tweets where :account is null
)
select author, sum(is_reply is 0) as originals, sum(is_reply is 1) as replies, sum(is_reply is null) as not_known, author_rest_id
from posts
where author_rest_id is not null
group by author_rest_id
order by count(*) desc, author_rest_id
limit :limit
