/*
title: Which hashtags are used together with a hashtag?
topic: Hashtags
description: |
  A row is another hashtag in the stored tweets that have the given one, with the number of tweets that have both, their
  authors, and their percentage of the tweets with the given hashtag.
parameters:
  tag: { type: text, description: "the hashtag, with or without #" }
  limit: { type: integer, min: 1, default: 10, description: the number of hashtags }
needs:
  - { items: tweets }
chart: { mark: bars, x: other_tag, y: tweets, xLabel: hashtag, yLabel: stored tweets with both }
example: { tag: "#nowplaying" }
*/
with tagged(n) as (select count(*) from tweet_hashtags where tag = lower(ltrim(:tag, '#')))
-- Never 100 below all, and never 0 above none.
select other_tag, tweets, authors, min(max(round(100.0 * tweets / n, 1), 0.1), 100 - 0.1 * (tweets < n)) as percent_of_tweets,
  latest_at
from v_cohashtags, tagged
where tag = lower(ltrim(:tag, '#'))
order by tweets desc, other_tag
limit :limit
