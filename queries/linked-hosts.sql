/*
title: Which sites does an account link to?
topic: Tweets
description: |
  A row is a host in the links of stored tweets of the account, with the number of tweets and of different addresses.
parameters:
  account: { type: account, default: null, description: "the author; without it, all authors" }
  limit: { type: integer, min: 1, default: 10, description: the number of hosts }
needs:
  - { items: tweets, of: account }
chart: { mark: bars, x: host, y: tweets, xLabel: host, yLabel: stored tweets }
*/
with links as (
  select * from v_links where author_rest_id = :account
  union all select * from v_links where :account is null
)
select host, count(distinct id) as tweets, count(distinct url) as addresses, count(distinct author_rest_id) as authors,
  max(created_at) as latest_at
from links
group by host
order by tweets desc, host
limit :limit
