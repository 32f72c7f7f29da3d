/*
title: How much did the members of a panel write?
topic: People
description: |
  A row is a current member of the panel with the number of stored tweets and replies, and the newest one. `state` says
  whether the account was renamed, is unavailable or was never seen.
parameters:
  panel: { type: panel, description: the name of the panel }
  since: { type: time, default: null, description: only tweets written from this time on }
  until: { type: time, default: null, description: only tweets written before this time }
chart: { mark: bars, x: screen_name, y: tweets, xLabel: member, yLabel: stored tweets and replies }
example: { panel: newsroom }
*/
select coalesce(m.screen_name, m.handle) as screen_name, m.state, m.note, count(t.id) as tweets,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(t.created_at) / 1000.0, 'unixepoch') as latest_at, m.rest_id
from v_panel_members m
left join users u on u.rest_id = m.rest_id
left join tweets t on t.author_id = u.id
  and (:since is null or t.created_at >= unixepoch(:since) * 1000) and (:until is null or t.created_at < unixepoch(:until) * 1000)
where m.panel = :panel and m.removed_at is null
group by m.id
order by tweets desc, m.id
