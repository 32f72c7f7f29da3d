/*
title: Which hashtags are rising?
topic: Hashtags
description: |
  A row is a hashtag with the number of stored tweets that have it in the latest days of the stored tweets, and in as many
  days before. Both numbers depend on the crawled data.
parameters:
  days: { type: integer, min: 1, max: 3650, default: 90, description: the number of days }
  limit: { type: integer, min: 1, default: 10, description: the number of hashtags }
needs:
  - { items: tweets }
*/
with latest as (select max(created_at) / 86400000 as day from tweets),
uses as (
  select h.tag, (l.day - t.created_at / 86400000) / :days as age
  from latest l cross join tweets t on t.created_at >= (l.day - 2 * :days + 1) * 86400000
  cross join tweet_hashtags h on h.tweet_id = t.id
)
select tag, sum(age = 0) as lately, sum(age = 1) as before
from uses
group by tag
order by sum(age = 0) - sum(age = 1) desc, lately desc, tag
limit :limit
