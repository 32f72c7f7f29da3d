/*
title: What did crawls cost?
topic: Coverage and cost
description: |
  A row is a kind of crawl with its requests per new item. `changes` counts changed users and tweets, ended edges and
  deleted tweets; `seconds` includes waiting times.
parameters:
  since: { type: time, default: null, description: only crawls created from this time on }
  until: { type: time, default: null, description: only crawls created before this time }
chart: { mark: bars, x: kind, y: requests, xLabel: kind of crawl, yLabel: requests }
*/
select kind, count(*) as crawls, sum(requests) as requests, sum(new_items) as new_items, sum(changes) as changes,
  round(1.0 * sum(requests) / nullif(sum(new_items), 0), 3) as requests_per_new_item, round(sum(seconds), 1) as seconds
from v_crawls
where (:since is null or created_at >= :since) and (:until is null or created_at < :until)
group by kind
order by requests desc, kind
