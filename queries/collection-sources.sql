/*
title: Which versions, services and keys collected the data?
topic: Coverage and cost
description: |
  A row is a combination of trawl's version, service and key label, with the number of crawls. A crawl that was continued
  with another one counts in each row.
*/
select trawl_version, service_host, key_label, count(*) as crawls,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(first_used_at) / 1000.0, 'unixepoch') as first_used_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(last_used_at) / 1000.0, 'unixepoch') as last_used_at
from crawl_sources
group by 1, 2, 3
order by first_used_at, 1, 2, 3
