/*
title: Who replied to a tweet?
topic: Conversations
description: |
  A row is a stored direct reply to the tweet, with the minutes between the two. Replies that a crawl of the tweet showed
  below it are included.
parameters:
  tweet: { type: tweet, description: the tweet }
needs:
  - { kind: tweet, of: tweet, lists: 0 }
example: { tweet: "1234567890" }
*/
select author, created_at, round(latency_seconds / 60) as minutes, text, rest_id
from v_replies
where parent_rest_id = :tweet
order by created_at, rest_id
