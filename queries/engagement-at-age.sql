/*
title: How much engagement did tweets have at the same age?
topic: Tweets
description: |
  A row is a tweet with its likes, retweets, replies and quotes when it was first seen at that age or later: `age_hours`.
  A tweet that was first seen again when it was half as old again has no row, unless its values had not changed. Jobs with
  `metricsAt` read tweets at fixed ages.
parameters:
  account: { type: account, default: null, description: "the author; without it, all authors" }
  hours: { type: integer, min: 1, default: 24, description: the age in hours }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
  limit: { type: integer, min: 1, default: 100, description: "the number of tweets, newest first" }
needs:
  - { items: tweets, of: account }
example: { account: HarbourNews, hours: 24, limit: 5 }
*/
with posts as (
  select * from v_tweets where author_rest_id = :account
  union all select * from v_tweets where :account is null
),
due as (
  select p.*, created_ms + :hours * 3600000 as due_ms from posts p
  where (:since is null or created_ms >= unixepoch(:since) * 1000) and (:until is null or created_ms < unixepoch(:until) * 1000)
),
readings as (
  select d.*, case
      -- The same values were seen before and after.
      when d.due_ms between t.first_seen_at and t.last_seen_at and not exists (
        select 1 from tweet_history h where h.tweet_id = d.id and h.last_seen_at < d.due_ms and h.changed_at > d.due_ms
      ) then d.due_ms
      when t.first_seen_at >= d.due_ms then t.first_seen_at
      else (select min(h.changed_at) from tweet_history h where h.tweet_id = d.id and h.changed_at > d.due_ms)
    end as read_ms
  from due d join tweets t on t.id = d.id
)
select author, created_at, round((read_ms - created_ms) / 3600000.0, 1) as age_hours,
  coalesce((select h.favorite_count from tweet_history h where h.tweet_id = r.id and h.changed_at > read_ms
    and h.favorite_count is not null order by h.changed_at limit 1), favorite_count) as likes,
  coalesce((select h.retweet_count from tweet_history h where h.tweet_id = r.id and h.changed_at > read_ms
    and h.retweet_count is not null order by h.changed_at limit 1), retweet_count) as retweets,
  coalesce((select h.reply_count from tweet_history h where h.tweet_id = r.id and h.changed_at > read_ms
    and h.reply_count is not null order by h.changed_at limit 1), reply_count) as replies,
  coalesce((select h.quote_count from tweet_history h where h.tweet_id = r.id and h.changed_at > read_ms
    and h.quote_count is not null order by h.changed_at limit 1), quote_count) as quotes,
  text, rest_id
from readings r
where read_ms <= created_ms + 1.5 * :hours * 3600000
order by created_ms desc, rest_id
limit :limit
