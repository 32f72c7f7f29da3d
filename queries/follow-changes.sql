/*
title: Who followed an account, and who unfollowed it?
topic: People
description: |
  A row is an account that began (`came`) or ceased (`went`) to follow. The exact time is unknown: it was after
  `earliest_at` and not later than `latest_at`. An edge is missing when a complete list of followers, or of the accounts
  that the follower follows, no longer has it; it has ended when a second complete list, begun after the first, lacks it,
  too. Followers on the first list are no changes. `cause` says why it ended: `unfollowed` if the follower was seen
  elsewhere afterwards, `account gone` if the service answered 404 for the follower, `unknown` otherwise.
parameters:
  account: { type: account, description: the followed account }
  since: { type: time, default: null, description: only changes noticed from this time on }
  until: { type: time, default: null, description: only changes noticed before this time }
  cause: { type: choice, values: [unfollowed, account gone, unknown], default: null, description: only endings with this cause }
needs:
  - { kind: followers, of: account, lists: 2 }
example: { account: HarbourNews }
*/
select change, follower, cause, earliest_at, latest_at, follower_rest_id
from v_follow_changes
where followee_rest_id = :account and (:since is null or latest_at >= :since) and (:until is null or latest_at < :until)
  and (:cause is null or cause = :cause)
order by latest_at, change, follower
