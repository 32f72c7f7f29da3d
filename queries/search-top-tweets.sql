/*
title: Which tweets that a search found have the most likes?
topic: Searches
description: |
  A row is a tweet that searches with this string found, with its likes, retweets, replies and quotes as of the time when
  they were last seen.
parameters:
  search: { type: search, description: "the search string, without the dates of a backfill" }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
  limit: { type: integer, min: 1, default: 10, description: the number of tweets }
needs:
  - { kind: search, of: search }
example: { search: "#nightsky", limit: 5 }
*/
with found(tweet_id) as materialized (
  select distinct h.tweet_id from searches s cross join search_hits h on h.search_id = s.id
  where substr(s.query, 1, length(:search)) = :search collate nocase
    and (length(s.query) = length(:search) or substr(s.query, length(:search) + 1) glob ' since:????-??-?? until:????-??-??')
)
select t.author, t.favorite_count as likes, t.retweet_count as retweets, t.reply_count as replies, t.quote_count as quotes,
  t.created_at, t.text, t.rest_id, t.deletion_state,
  coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch'), t.last_seen_at) as as_of
from found f join v_tweets t on t.id = f.tweet_id
left join _tweet_stale_columns s on s.tweet_id = t.id and s.column_name = 'favorite_count'
where t.favorite_count is not null and (:since is null or t.created_at >= :since) and (:until is null or t.created_at < :until)
order by likes desc, t.created_ms desc, t.id
limit :limit
