-- A search of windows of days is of all of them: one that failed or hides something is not made good by the latest.
DROP VIEW `v_completeness`;
--> statement-breakpoint
CREATE VIEW `v_completeness` AS
WITH latest AS (
  SELECT kind, coalesce(target_id, target) AS list, max(id) AS crawl_id FROM crawls WHERE finished_at IS NOT NULL GROUP BY 1, 2
), counted AS (
  SELECT l.list, c.*, u.screen_name,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN (SELECT count(*) FROM tweets t WHERE t.author_id = u.id)
      WHEN c.kind = 'followers' THEN (SELECT count(*) FROM follows f WHERE f.followee_id = u.id AND f.ended IS NULL)
      WHEN c.kind = 'following' THEN (SELECT count(*) FROM follows f WHERE f.follower_id = u.id AND f.ended IS NULL)
    END AS stored,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN u.statuses_count
      WHEN c.kind = 'followers' THEN u.followers_count
      WHEN c.kind = 'following' THEN u.following_count
    END AS reported
  FROM latest l
  JOIN crawls c ON c.id = l.crawl_id
  LEFT JOIN users u ON u.rest_id = l.list AND c.kind IN ('timeline', 'replies', 'followers', 'following')
)
SELECT
  kind,
  list AS target_id,
  coalesce(screen_name, target) COLLATE NOCASE AS target,
  id AS crawl_id,
  state,
  reason,
  ending,
  state = 'complete' AND (kind <> 'search' OR NOT EXISTS (
    SELECT 1 FROM crawls w
    WHERE w.kind = 'search' AND w.target = list AND w.state <> 'complete' AND w.options ->> '$.from' IS NOT NULL
      AND NOT EXISTS (
        SELECT 1 FROM crawls l
        WHERE l.kind = 'search' AND l.target = list AND l.id > w.id AND l.state = 'complete'
          AND l.options ->> '$.from' <= w.options ->> '$.from' AND l.options ->> '$.to' >= w.options ->> '$.to'))) AS is_complete,
  stored,
  reported,
  CASE WHEN reported > 0 THEN 1.0 * stored / reported WHEN reported = 0 AND stored = 0 THEN 1.0 END AS score,
  (SELECT count(*) FROM coverage v WHERE v.kind = counted.kind AND v.target = list) AS intervals,
  (SELECT count(*) FROM gaps g WHERE g.kind = counted.kind AND g.target = list) AS gaps,
  items,
  new_items,
  requests,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at
FROM counted;
