/*
title: Who mentions an account?
topic: Conversations
description: |
  A row is an author of stored tweets with the present handle of the account, with the number of these tweets.
parameters:
  account: { type: account, description: the mentioned account }
  limit: { type: integer, min: 1, default: 10, description: the number of authors }
needs:
  - { items: tweets }
chart: { mark: bars, x: author, y: tweets, xLabel: author, yLabel: stored tweets }
example: { account: HarbourNews }
*/
select author, count(*) as tweets, max(created_at) as latest_at, author_rest_id
from v_mentions
where mentioned = (select lower(screen_name) from users where rest_id = :account) and author_rest_id is not null
group by author_rest_id
order by tweets desc, author_rest_id
limit :limit
