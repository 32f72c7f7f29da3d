/*
title: How much engagement did tweets have at the same age?
topic: Tweets
description: |
  A row is a tweet with its likes, retweets, replies and quotes when it was first seen at that age or later: `age_hours`.
  A tweet that was not seen again until it was half as old again has no row, unless its values had not changed. Jobs with
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
select r.author, r.created_at, round((read_ms - created_ms) / 3600000.0, 1) as age_hours,
  v.favorite_count as likes, v.retweet_count as retweets, v.reply_count as replies, v.quote_count as quotes,
  r.text, r.rest_id
from (select *, strftime('%Y-%m-%dT%H:%M:%fZ', read_ms / 1000.0, 'unixepoch') as read_at from readings) r
join v_tweet_versions v on v.id = r.id and v.valid_from <= read_at and (v.valid_to is null or v.valid_to > read_at)
where read_ms <= created_ms + 1.5 * :hours * 3600000
order by created_ms desc, r.rest_id
limit :limit
