/*
title: Whom does an account reply to?
topic: Conversations
description: |
  A row is an account with the number of stored replies that the given account wrote to it, and the number of those whose
  answered tweet is stored. Accounts that are not stored are included: a reply has the handle of the account.
parameters:
  account: { type: account, description: the author of the replies }
  limit: { type: integer, min: 1, default: 10, description: the number of accounts }
needs:
  - { kind: replies, of: account, lists: 0 }
chart: { mark: bars, x: parent_author, y: replies, xLabel: account, yLabel: stored replies }
example: { account: HarbourNews }
*/
select parent_author, count(*) as replies, count(parent_text) as to_stored_tweets, max(created_at) as latest_at
from v_replies
where author_rest_id = :account and parent_author is not null
group by lower(parent_author)
order by replies desc, parent_author
limit :limit
