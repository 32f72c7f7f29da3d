/*
title: Which biographies have certain words?
topic: People
description: |
  Full-text search in handles, names and biographies, best match first. `words`: words that must all match, "a phrase",
  sta*, moon OR stars, moon NOT landing, description: coffee. Operators are in capitals; case and accents are ignored.
  Chinese, Japanese, Thai, Lao, Khmer, Burmese and Korean: write words in quotes, with a space between all characters: "コ ー ヒ ー". `trawl find --users` takes the grammar of the service.
parameters:
  words: { type: text, description: the words to find }
  limit: { type: integer, min: 1, default: 10, description: the number of accounts }
needs:
  - { items: users }
example: { words: 'news OR book* OR description: "she her"' }
*/
select u.screen_name, u.name, u.description, u.followers_count as followers, u.rest_id
from users_fts join v_users u on u.id = users_fts.rowid
where users_fts match :words
order by rank
limit :limit
