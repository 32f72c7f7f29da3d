/*
title: Which gaps do lists have?
topic: Coverage and cost
description: |
  A row is a time of a timeline, a list of replies, a community or a search that was not read, newest first. `older_at` is
  null if nothing older is stored. docs/completeness.md of the package explains the reasons.
parameters:
  account: { type: account, default: null, description: only lists of this account }
  limit: { type: integer, min: 1, default: 20, description: the number of gaps }
*/
select kind, coalesce(account, target) as target, older_at, newer_at, reason, crawl_id
from v_gaps
where :account is null or (target = :account and kind in ('timeline', 'replies'))
order by newer_at desc, kind, target
limit :limit
