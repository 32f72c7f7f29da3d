/*
title: Who are an account's mutual follows?
topic: People
description: |
  A row is an account that the given account follows and that follows it back. Both edges are current as far as known.
parameters:
  account: { type: account, description: the account }
needs:
  - { kind: followers, of: account }
  - { kind: following, of: account }
example: { account: HarbourNews }
*/
select f.followee as friend, u.name, u.followers_count as followers, f.followee_rest_id as friend_rest_id
from v_current_follows f
join v_current_follows back on back.follower_rest_id = f.followee_rest_id and back.followee_rest_id = f.follower_rest_id
join users u on u.rest_id = f.followee_rest_id
where f.follower_rest_id = :account
order by f.followee, f.followee_rest_id
