/*
title: Which followers of an account have the most followers?
topic: People
description: |
  A row is a current follower of the account, with the number of followers that the service reports of it.
parameters:
  account: { type: account, description: the followed account }
  limit: { type: integer, min: 1, default: 10, description: the number of followers }
needs:
  - { kind: followers, of: account }
chart: { mark: bars, x: follower, y: followers, xLabel: follower, yLabel: followers }
example: { account: HarbourNews }
*/
select u.screen_name as follower, u.name, u.followers_count as followers, u.rest_id as follower_rest_id
from v_current_follows f join v_users u on u.rest_id = f.follower_rest_id
where f.followee_rest_id = :account
order by u.followers_count desc, u.rest_id
limit :limit
