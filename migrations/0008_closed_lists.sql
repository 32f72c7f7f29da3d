DROP VIEW `v_observed_periods`;
--> statement-breakpoint
-- Evidence as in coverage, and in the crawls that found nothing newer (invariants 4 and 5). An end that is no evidence counts
-- like the end of a page: down to the item before the last. An empty list of an account that has tweets may be closed.
CREATE VIEW `v_observed_periods` AS
SELECT
  p.kind,
  p.account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.from_ms / 1000.0, 'unixepoch') AS from_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.to_ms / 1000.0, 'unixepoch') AS to_at,
  p.from_ms,
  p.to_ms
FROM (
  SELECT
    v.kind,
    v.target AS account_rest_id,
    CASE
      WHEN v.list_end IS NULL THEN v.oldest_at
      WHEN v.list_end <> 'served' OR v.kind <> 'timeline' THEN coalesce((
        SELECT t.created_at FROM tweets t
        WHERE t.author_id = (SELECT id FROM users WHERE rest_id = v.target) AND t.created_at > v.oldest_at
          AND t.seen_in_lists & CASE v.kind WHEN 'timeline' THEN 1 ELSE 2 END
        ORDER BY t.created_at LIMIT 1
      ), v.newest_at)
    END AS from_ms,
    CASE
      WHEN EXISTS (SELECT 1 FROM coverage n WHERE n.kind = v.kind AND n.target = v.target AND n.newest_at > v.newest_at) THEN v.newest_at
      ELSE max(v.newest_at, coalesce((
        SELECT max((
          SELECT coalesce(c.started_at, c.created_at) / 1000 * 1000
          FROM crawls c
          WHERE c.kind = v.kind AND c.target = name.target AND c.target_rest_id = v.target
            AND CASE
              WHEN c.items = 0 AND coalesce(
                (SELECT o.statuses_count FROM users o WHERE o.rest_id = v.target),
                EXISTS (SELECT 1 FROM tweets t WHERE t.author_id = (SELECT id FROM users WHERE rest_id = v.target))
              ) > 0 THEN 0
              WHEN c.reason = 'no_tweets' THEN 1
              WHEN c.kind = 'timeline' AND c.state = 'complete' AND c.ending = 'served' THEN 1
              WHEN c.checkpoint ->> '$.skippedDownTo' IS NOT NULL THEN c.rejected_items = 0
              ELSE c.checkpoint ->> '$.scan.isFromTop' AND c.checkpoint ->> '$.scan.oldest.at' IS NOT NULL
                AND max(c.checkpoint ->> '$.scan.newest.at', coalesce(c.checkpoint ->> '$.scan.outlier.at', 0)) <= v.newest_at
            END
          ORDER BY c.id DESC LIMIT 1
        ))
        FROM (
          SELECT 'id:' || v.target AS target
          UNION SELECT lower(o.screen_name) FROM users o WHERE o.rest_id = v.target AND o.screen_name IS NOT NULL
          UNION SELECT lower(h.screen_name) FROM user_history h
            WHERE h.user_id = (SELECT id FROM users WHERE rest_id = v.target) AND h.screen_name IS NOT NULL
        ) name
      ), 0))
    END AS to_ms
  FROM coverage v
  WHERE v.kind IN ('timeline', 'replies')
  UNION ALL
  SELECT c.kind, c.target_rest_id, NULL, max(coalesce(c.started_at, c.created_at)) / 1000 * 1000
  FROM crawls c
  LEFT JOIN users o ON o.rest_id = c.target_rest_id
  WHERE c.reason = 'no_tweets' AND c.state = 'complete' AND c.kind IN ('timeline', 'replies') AND c.target_rest_id IS NOT NULL
    AND NOT coalesce(o.statuses_count, EXISTS (SELECT 1 FROM tweets t WHERE t.author_id = o.id)) > 0
    AND NOT EXISTS (SELECT 1 FROM coverage v WHERE v.kind = c.kind AND v.target = c.target_rest_id)
  GROUP BY c.kind, c.target_rest_id
) p
LEFT JOIN users u ON u.rest_id = p.account_rest_id;
