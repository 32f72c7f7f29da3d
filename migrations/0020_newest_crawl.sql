-- The newest crawl of a list is the one that ended last, whatever the numbers of crawls: several stores agree on it.
-- Options are parsed only for crawls that joined stored rows.
DROP VIEW `v_completeness`;
--> statement-breakpoint
CREATE VIEW `v_completeness` AS
WITH ranked AS (
  SELECT kind, coalesce(target_rest_id, target) AS list, id AS crawl_id, state, reason, erased_items,
    coalesce(started_at, created_at) AS started_at,
    CASE
      WHEN state NOT IN ('complete', 'capped') OR ending = 'since' THEN 0
      WHEN ending = 'joined' THEN options ->> '$.since' IS NULL
      ELSE 1
    END AS has_ended,
    row_number() OVER (PARTITION BY kind, coalesce(target_rest_id, target) ORDER BY finished_at DESC, created_at DESC, id DESC) AS place
  FROM crawls
  WHERE finished_at IS NOT NULL
), latest AS (
  SELECT kind, list, crawl_id FROM ranked WHERE place = 1
), ended AS (
  SELECT kind, list, min(place), crawl_id, state, reason, erased_items, started_at FROM ranked WHERE has_ended GROUP BY 1, 2
), read_to_end AS (
  SELECT target_rest_id AS list, max(started_at) AS started_at FROM crawls
  WHERE kind = 'timeline' AND state = 'complete' AND (ending = 'served' OR ending = 'joined' AND options ->> '$.since' IS NULL)
  GROUP BY 1
), counted AS (
  SELECT l.list, c.*, u.screen_name, u.id AS user_id,
    e.state AS ended_state, e.reason AS ended_reason, e.started_at AS ended_from, e.crawl_id AS ended_by, n.started_at AS read_to_end_at,
    max(c.erased_items, coalesce(e.erased_items, 0)) AS erased,
    (SELECT count(*) FROM coverage v WHERE v.kind = c.kind AND v.target = l.list) AS intervals,
    (SELECT count(*) FROM gaps g WHERE g.kind = c.kind AND g.target = l.list) AS gaps,
    p.items AS pruned, p.pruned_at,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN (SELECT count(*) FROM tweets t WHERE t.author_id = u.id)
      WHEN c.kind = 'followers' THEN (SELECT count(*) FROM follows f WHERE f.followee_id = u.id AND f.ended_at IS NULL)
      WHEN c.kind = 'following' THEN (SELECT count(*) FROM follows f WHERE f.follower_id = u.id AND f.ended_at IS NULL)
    END AS stored,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN u.statuses_count
      WHEN c.kind = 'followers' THEN u.followers_count
      WHEN c.kind = 'following' THEN u.following_count
    END AS reported
  FROM latest l
  JOIN crawls c ON c.id = l.crawl_id
  LEFT JOIN ended e ON e.kind = l.kind AND e.list = l.list
  LEFT JOIN read_to_end n ON n.list = l.list AND c.kind = 'timeline'
  LEFT JOIN pruned_ranges p ON p.kind = l.kind AND p.target = l.list
  LEFT JOIN users u ON u.rest_id = l.list AND c.kind IN ('timeline', 'replies', 'followers', 'following')
), proven AS (
  SELECT *,
    CASE
      WHEN erased > 0 THEN NULL
      WHEN pruned > 0 AND kind NOT IN ('followers', 'following') THEN NULL
      WHEN intervals > 0 AND kind = 'timeline' AND intervals = 1 AND gaps = 0 THEN (
        SELECT coalesce(read_to_end_at, v.newest_at)
        FROM coverage v WHERE v.kind = 'timeline' AND v.target = list AND v.list_end = 'served')
      WHEN intervals > 0 THEN NULL
      WHEN kind IN ('followers', 'following') THEN (
        SELECT p.started_at FROM _list_snapshots p WHERE p.crawl_id = ended_by AND ended_state = 'complete')
      WHEN ended_state = 'complete' AND (kind IN ('profile', 'tweet', 'timeline') OR kind = 'replies' AND ended_reason = 'no_tweets') THEN ended_from
    END AS complete_from
  FROM counted
)
SELECT
  kind,
  list AS target_rest_id,
  coalesce(screen_name, target) COLLATE NOCASE AS target,
  id AS crawl_id,
  state,
  reason,
  ending,
  complete_from IS NOT NULL AS is_complete,
  strftime('%Y-%m-%dT%H:%M:%fZ', complete_from / 1000.0, 'unixepoch') AS complete_as_of,
  stored,
  reported,
  CASE WHEN reported > 0 THEN 1.0 * stored / reported WHEN reported = 0 AND stored = 0 THEN 1.0 END AS score,
  intervals,
  gaps,
  items,
  new_items,
  requests,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at,
  erased,
  coalesce(pruned, 0) AS pruned,
  strftime('%Y-%m-%dT%H:%M:%fZ', pruned_at / 1000.0, 'unixepoch') AS pruned_at
FROM proven;
