/*
title: Which tweets and accounts came back?
topic: Tweets
description: |
  A row is a tweet (`type` is `tweet`) or an account for whose id the service answered 404 at `gone_at`, and which it
  showed again later. It came back not later than `last_seen_at`. Only crawls that request missing items notice it, such
  as `trawl recheck tweets --include-deleted`.
parameters:
  limit: { type: integer, min: 1, default: 100, description: "the number of rows, last gone first" }
needs:
  - { items: users }
*/
select type, account, rest_id, gone_at, last_seen_at
from v_restored
order by gone_at desc, rest_id
limit :limit
