/*
title: Who replies to an account most often, and how fast?
topic: Conversations
description: |
  A row is an account with the number of stored replies to the given account, the shortest time to a reply in minutes,
  and the newest reply. Times are known of replies to stored tweets.
parameters:
  account: { type: account, description: the account that is replied to }
  limit: { type: integer, min: 1, default: 10, description: the number of accounts }
needs:
  - { items: tweets }
chart: { mark: bars, x: author, y: replies, xLabel: author, yLabel: stored replies }
example: { account: HarbourNews }
*/
select author, count(*) as replies, round(min(latency_seconds) / 60) as fastest_minutes, max(created_at) as latest_at,
  author_rest_id
from v_replies
where parent_author_rest_id = :account
group by author_rest_id
order by replies desc, fastest_minutes, author_rest_id
limit :limit
