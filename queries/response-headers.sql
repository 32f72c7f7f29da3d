/*
title: Which headers did the service send with the pages of a crawl?
topic: Coverage and cost
description: |
  A row is a stored response. `headers` is a JSON object; `date` is one of them, and null if the response did not have it.
parameters:
  crawl: { type: integer, min: 1, description: the number of the crawl }
example: { crawl: 1 }
*/
select id, endpoint, status, strftime('%Y-%m-%dT%H:%M:%fZ', fetched_at / 1000.0, 'unixepoch') as fetched_at,
  headers ->> 'date' as date, headers
from raw_pages
where crawl_id = :crawl
order by id
