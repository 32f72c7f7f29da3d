/*
title: Who wrote the tweets that a search found?
topic: Searches
description: |
  A row is an author of tweets that searches with this string found, with the number of these tweets and the sum of their
  likes, retweets, replies and quotes when last seen.
parameters:
  search: { type: search, description: "the search string, without the dates of a backfill" }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
  limit: { type: integer, min: 1, default: 10, description: the number of authors }
needs:
  - { kind: search, of: search }
chart: { mark: bars, x: author, y: tweets, xLabel: author, yLabel: tweets found }
example: { search: "#nightsky" }
*/
with found(tweet_id) as materialized (
  select distinct h.tweet_id from searches s cross join search_hits h on h.search_id = s.id
  where substr(s.query, 1, length(:search)) = :search collate nocase
    and (length(s.query) = length(:search) or substr(s.query, length(:search) + 1) glob ' since:????-??-?? until:????-??-??')
)
select t.author, u.name, count(*) as tweets, sum(t.engagement) as engagement, u.followers_count as followers,
  t.author_rest_id
from found f join v_tweets t on t.id = f.tweet_id
join users u on u.rest_id = t.author_rest_id
where (:since is null or t.created_at >= :since) and (:until is null or t.created_at < :until)
group by t.author_rest_id
order by tweets desc, engagement desc, t.author_rest_id
limit :limit
