/*
title: Which tweets started the longest conversations?
topic: Conversations
description: |
  A row is the first tweet of a conversation, with the number of stored replies in it, how many steps they go down, and
  the number of their authors. The author and the text are null if the first tweet is not stored.
parameters:
  limit: { type: integer, min: 1, default: 10, description: the number of conversations }
needs:
  - { items: tweets }
*/
select r.author, count(*) as replies, max(c.depth) as depth, count(distinct c.author_rest_id) as authors,
  min(c.created_at) as first_reply_at, max(c.created_at) as latest_reply_at, r.text, c.root_rest_id
from v_conversations c left join v_tweets r on r.rest_id = c.root_rest_id
where c.parent_rest_id is not null
group by c.root_rest_id
order by replies desc, depth desc, c.root_rest_id
limit :limit
