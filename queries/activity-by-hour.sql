/*
title: At which hours does an account write?
topic: Tweets
description: |
  A row is an hour of the day (UTC), with the stored tweets and replies that the account wrote in it. Hours without
  tweets have 0. The engagement of a tweet is the sum of its likes, retweets, replies and quotes when last seen.
parameters:
  account: { type: account, description: the author }
  since: { type: time, default: null, description: only tweets from this time on }
  until: { type: time, default: null, description: only tweets before this time }
needs:
  - { items: tweets, of: account }
chart: { mark: columns, x: hour_utc, y: tweets, xLabel: hour of the day (UTC), yLabel: tweets }
example: { account: HarbourNews }
*/
with recursive hours(hour) as (select 0 union all select hour + 1 from hours where hour < 23)
select printf('%02d:00', hour) as hour_utc, count(t.rest_id) as tweets, round(avg(t.engagement), 1) as mean_engagement
from hours left join v_tweets t on t.author_rest_id = :account and substr(t.created_at, 12, 2) = printf('%02d', hour)
  and (:since is null or t.created_at >= :since) and (:until is null or t.created_at < :until)
group by hour order by hour
