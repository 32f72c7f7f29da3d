/*
title: How complete are the targets of a job?
topic: Jobs
description: |
  A row is a list that the job crawls, with the state of its newest crawl, the requests and new items of all its crawls in
  runs of the job, and, for lists of accounts, the number of stored items beside the number that the service reports. A
  timeline has original tweets only, so that it is not compared with the number of tweets, which may include replies.
  Crawls of an account by its handle and by its id are of one list. A crawl of a handle that ended before the service
  showed an id counts for the account of other crawls of this handle, or for the account that has the handle.
  `v_completeness` says which lists are complete by evidence.
parameters:
  job: { type: job, description: the name of the job }
needs:
  - { items: runs, of: job }
example: { job: press }
*/
with crawled as (
  select c.*, coalesce(
    c.target_rest_id,
    (select o.target_rest_id from crawls o
      where o.kind = c.kind and o.target = c.target and o.target_rest_id is not null order by o.id desc limit 1),
    (select u.rest_id from users u left join _user_last_seen s on s.user_id = u.id
      where u.screen_name = c.handle collate nocase order by s.last_seen_at desc limit 1),
    c.target
  ) as list
  from runs r join crawls c on c.run_id = r.id and c.parent_id is null
  where r.job_name = :job
),
-- SQLite takes the other columns from the row with the largest id.
targets as (
  select kind, list, max(id) as crawl_id, coalesce(handle, target) as target, state, reason, finished_at,
    count(*) as crawls
  from crawled group by kind, list
),
costs as (select kind, list, sum(requests) as requests, sum(new_items) as new_items from crawled group by kind, list)
select t.kind, coalesce(u.screen_name, t.target) as target, t.state, t.reason, t.crawls, c.requests, c.new_items,
  round(1.0 * c.requests / nullif(c.new_items, 0), 3) as requests_per_new_item,
  case t.kind
    when 'timeline' then (select count(*) from tweets where author_id = u.id and seen_in_lists & 1)
    when 'replies' then (select count(*) from tweets where author_id = u.id and seen_in_lists & 2)
    when 'followers' then (select count(*) from follows where followee_id = u.id and ended_at is null)
    when 'following' then (select count(*) from follows where follower_id = u.id and ended_at is null)
  end as stored,
  case t.kind
    when 'replies' then u.statuses_count
    when 'followers' then u.followers_count
    when 'following' then u.following_count
  end as reported,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.finished_at / 1000.0, 'unixepoch') as finished_at, t.crawl_id
from targets t
join costs c on c.kind = t.kind and c.list = t.list
left join users u on u.rest_id = t.list and t.kind in ('profile', 'timeline', 'replies', 'followers', 'following')
order by t.kind, target, t.crawl_id
