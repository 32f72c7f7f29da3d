/*
title: What was an account's profile on a date?
topic: People
description: |
  One row: the profile as it was last seen before the date, valid from `valid_from` on; none if the account was first
  seen later. Values that were first seen later than the account are also in its first version.
parameters:
  account: { type: account, description: the account }
  at: { type: time, description: the date or time }
needs:
  - { items: users, of: account }
example: { account: HarbourNews, at: "2030-01-01" }
*/
select screen_name, name, description, location, url, followers_count as followers, following_count as following,
  statuses_count as tweets, valid_from, valid_to
from v_user_versions
where rest_id = :account and :at >= valid_from and (valid_to is null or :at < valid_to)
