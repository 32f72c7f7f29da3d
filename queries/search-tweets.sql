/*
title: Which tweets have certain words?
topic: Tweets
description: |
  Full-text search in tweets, newest first. `words`: words that must all match, "a phrase", sta*, moon OR stars, moon NOT
  landing. Operators are in capitals; case and accents are ignored. Chinese, Japanese, Thai, Lao, Khmer, Burmese and
  Korean: write words in quotes, with a space between all characters: "ラ ー メ ン". `trawl find` takes the grammar of the service.
parameters:
  words: { type: text, description: the words to find }
  limit: { type: integer, min: 1, default: 10, description: the number of tweets }
needs:
  - { items: tweets }
example: { words: rain OR umbrella OR storm* }
*/
select t.created_at, t.author, t.text, t.rest_id
from tweets_fts join v_tweets t on t.id = tweets_fts.rowid
where tweets_fts match :words
order by t.created_ms desc, t.id
limit :limit
