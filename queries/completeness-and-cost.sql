/*
title: How complete is each list, and what did it cost?
topic: Coverage and cost
description: |
  A row is a crawled list, incomplete ones first, with the evidence of its completeness, the number of stored items
  beside the number that the service reports, and the requests and new items of all its crawls. A timeline has original
  tweets only, so that it is not compared with the number of tweets, which may include replies. `state` and `reason` are
  those of its crawl that ended last. The counts of the service may be older or newer than the list.
parameters:
  account: { type: account, default: null, description: only lists of this account }
  limit: { type: integer, min: 1, default: 50, description: the number of lists }
example: { account: HarbourNews }
*/
with lists as materialized (
  select * from v_completeness where :account is null or target_rest_id = :account
),
costs as (
  select c.kind, coalesce(c.target_rest_id, c.target) as list, count(*) as crawls, sum(c.requests) as requests, sum(c.new_items) as new_items
  from crawls c where (:account is null or c.target_rest_id = :account) group by 1, 2
)
select l.kind, l.target, l.is_complete, l.complete_as_of, l.state, l.reason, l.stored, l.reported, 
  case when l.score > 1 then 'more than counted' when l.score > 0 and l.score < 0.005 then '< 1 %'
    when l.score >= 0.995 and l.score < 1 then '> 99 %' else cast(round(100 * l.score) as integer) || ' %' end as share,
  l.gaps, c.crawls, c.requests, c.new_items, round(1.0 * c.requests / nullif(c.new_items, 0), 3) as requests_per_new_item
from lists l join costs c on c.kind = l.kind and c.list = l.target_rest_id
order by l.is_complete, l.score is null, l.score, l.kind, l.target
limit :limit
