/*
title: Which crawls are not complete, and why?
topic: Coverage and cost
description: |
  A row is a crawl that is not complete. Capped crawls stored everything that the service shows; more may exist. The
  others have not ended, or some of their items are missing.
parameters:
  limit: { type: integer, min: 1, default: 20, description: "the number of crawls, last changed first" }
*/
select id, kind, coalesce(handle, target) as target, state, reason, ending, error, pages, updated_at
from v_crawls
where state <> 'complete'
order by updated_at desc, id
limit :limit
