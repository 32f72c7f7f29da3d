/*
title: What was said in a conversation?
topic: Conversations
description: |
  A row is a stored tweet of the conversation that begins with the given tweet: the tweet itself (depth 0), the replies to
  it (1), the replies to these (2) and so on.
parameters:
  tweet: { type: tweet, description: the first tweet }
needs:
  - { kind: tweet, of: tweet, lists: 0 }
example: { tweet: "1234567890" }
*/
with recursive thread(id, rest_id, depth) as (
  select (select id from tweets where rest_id = :tweet), :tweet, 0
  union
  select r.id, r.rest_id, depth + 1 from thread join tweets r on r.in_reply_to_status_rest_id = thread.rest_id
  -- The limit ends the cycles of faulty data.
  where depth < 1000
  union
  -- Replies without the id of their parent, below the tweets that they were shown with.
  select r.id, r.rest_id, depth + 1
  from thread join tweet_replies n on n.tweet_id = thread.id join tweets r on r.id = n.reply_id
  where depth < 1000 and r.in_reply_to_status_rest_id is null
)
select max(d.depth) as depth, t.author, t.created_at, t.text, t.rest_id
from thread d join v_tweets t on t.id = d.id
group by t.id
order by t.created_ms, depth, t.id
