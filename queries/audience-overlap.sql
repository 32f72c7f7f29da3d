/*
title: How many followers do two accounts share?
topic: People
description: |
  One row: the stored current followers of both accounts, the number that follow both, their share in all followers of
  the two (Jaccard index), and in the followers of each.
parameters:
  account: { type: account, description: an account }
  other: { type: account, description: another account }
needs:
  - { kind: followers, of: account }
  - { kind: followers, of: other }
example: { account: HarbourNews, other: nightsky_now }
*/
with a as materialized (select follower_rest_id as id from v_current_follows where followee_rest_id = :account),
b as materialized (select follower_rest_id as id from v_current_follows where followee_rest_id = :other),
n as (
  select (select count(*) from a) as followers, (select count(*) from b) as followers_of_other,
    (select count(*) from a where id in (select id from b)) as followers_of_both
)
select followers, followers_of_other, followers_of_both,
  -- Never 100 below all, and never 0 above none.
  min(max(round(100.0 * followers_of_both / nullif(followers + followers_of_other - followers_of_both, 0), 1),
    0.1 * (followers_of_both > 0)), 100 - 0.1 * (2 * followers_of_both < followers + followers_of_other)) as percent_of_all,
  min(max(round(100.0 * followers_of_both / nullif(followers, 0), 1), 0.1 * (followers_of_both > 0)),
    100 - 0.1 * (followers_of_both < followers)) as percent_of_followers,
  min(max(round(100.0 * followers_of_both / nullif(followers_of_other, 0), 1), 0.1 * (followers_of_both > 0)),
    100 - 0.1 * (followers_of_both < followers_of_other)) as percent_of_followers_of_other
from n
