/*
title: What did the runs of a job collect?
topic: Jobs
description: |
  A row is a run of the job with the number of its crawls by state, and the requests, new items and changes of these
  crawls and of all crawls that they created. An unfinished crawl that a later run joined counts in that run.
parameters:
  job: { type: job, description: the name of the job }
  since: { type: time, default: null, description: only runs that began from this time on }
  until: { type: time, default: null, description: only runs that began before this time }
needs:
  - { items: runs, of: job }
chart: { mark: points, x: started_at, y: new_items, xLabel: start of the run (UTC), yLabel: new items }
example: { job: press }
*/
with job_runs as (
  select id, created_at, strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') as started_at, error
  from runs where job_name = :job
),
roots as (select r.id as run_id, c.* from job_runs r join crawls c on c.run_id = r.id and c.parent_id is null),
members(run_id, crawl_id) as materialized (
  select run_id, id from roots union select r.run_id, t.descendant_id from roots r join _crawl_tree t on t.root_id = r.id
),
costs(run_id, requests, new_items, changes) as materialized (
  select m.run_id, sum(c.requests), sum(c.new_items), sum(c.changes) from members m join crawls c on c.id = m.crawl_id group by 1
),
states(run_id, crawls, complete, capped, partial, failed, cancelled, unfinished) as materialized (
  select run_id, count(*), sum(state = 'complete'), sum(state = 'capped'), sum(state = 'partial'), sum(state = 'failed'),
    sum(state = 'cancelled'), sum(finished_at is null)
  from roots group by 1
)
select r.id as run_id, r.started_at, coalesce(s.crawls, 0) as crawls, s.complete, s.capped, s.partial, s.failed, s.cancelled,
  s.unfinished, coalesce(c.requests, 0) as requests, coalesce(c.new_items, 0) as new_items, coalesce(c.changes, 0) as changes,
  round(1.0 * c.requests / nullif(c.new_items, 0), 3) as requests_per_new_item, r.error
from job_runs r left join states s on s.run_id = r.id left join costs c on c.run_id = r.id
where (:since is null or r.started_at >= :since) and (:until is null or r.started_at < :until)
order by r.id
