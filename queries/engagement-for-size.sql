/*
title: Which tweets had the most engagement for the size of their author?
topic: Tweets
description: |
  A row is a tweet with its engagement (likes, retweets, replies and quotes when last seen) per follower that the service
  reports of its author.
parameters:
  account: { type: account, default: null, description: only tweets of this account }
  followers: { type: integer, min: 1, default: 20, description: only authors with at least so many followers }
  limit: { type: integer, min: 1, default: 10, description: the number of tweets }
needs:
  - { items: tweets, of: account }
example: { followers: 20 }
*/
with posts as (
  select * from v_tweets where author_rest_id = :account
  union all select * from v_tweets where :account is null
)
select t.author, t.engagement, u.followers_count as followers, round(1.0 * t.engagement / u.followers_count, 2) as per_follower,
  t.created_at, t.text, t.rest_id
from posts t join users u on u.rest_id = t.author_rest_id
where u.followers_count >= :followers and t.engagement is not null
order by 1.0 * t.engagement / u.followers_count desc, t.rest_id
limit :limit
