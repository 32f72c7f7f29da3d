/*
title: Which tweets of an account have the most likes?
topic: Tweets
description: |
  A row is a tweet or a reply with its likes, retweets, replies and quotes as of the time when they were last seen.
  `deletion_state` is set if the tweet is missing from the list of its author (suspected) or deleted.
parameters:
  account: { type: account, description: the author }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
  limit: { type: integer, min: 1, default: 10, description: the number of tweets }
needs:
  - { kind: [timeline, replies], of: account }
  - { items: checks, of: account }
example: { account: HarbourNews, limit: 5 }
*/
select t.favorite_count as likes, t.retweet_count as retweets, t.reply_count as replies, t.quote_count as quotes,
  t.created_at, t.text, t.rest_id, t.deletion_state,
  coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch'), t.last_seen_at) as as_of
from v_tweets t
left join _tweet_stale_columns s on s.tweet_id = t.id and s.column_name = 'favorite_count'
where t.author_rest_id = :account and t.favorite_count is not null
  and (:since is null or t.created_at >= :since) and (:until is null or t.created_at < :until)
order by likes desc, t.created_ms desc, t.id
limit :limit
