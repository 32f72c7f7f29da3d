CREATE VIEW `v_links` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  l.url,
  lower(substr(l.rest, 1, min(instr(l.rest || '/', '/'), instr(l.rest || '?', '?'), instr(l.rest || '#', '#'), instr(l.rest || ':', ':')) - 1)) AS host
FROM (
  SELECT tweet_id, url, substr(url, CASE instr(url, '://') WHEN 0 THEN 1 ELSE instr(url, '://') + 3 END) AS rest FROM tweet_links
) l
JOIN tweets t ON t.id = l.tweet_id
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
CREATE VIEW `v_media` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  m.position,
  m.type,
  m.url,
  m.width,
  m.height
FROM media m
JOIN tweets t ON t.id = m.tweet_id
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
CREATE VIEW `v_cohashtags` AS
SELECT
  h.tag,
  o.tag AS other_tag,
  count(*) AS tweets,
  count(DISTINCT t.author_id) AS authors,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(t.created_at) / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(t.created_at) / 1000.0, 'unixepoch') AS latest_at
FROM tweet_hashtags h
JOIN tweet_hashtags o ON o.tweet_id = h.tweet_id AND o.tag <> h.tag
JOIN tweets t ON t.id = h.tweet_id
GROUP BY h.tag, o.tag;
--> statement-breakpoint
-- The way up from a tweet: by the id of the tweet that it replies to, or by the newest tweet that it was shown below. The limit
-- ends the cycles of faulty data.
CREATE VIEW `v_conversations` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  coalesce(t.in_reply_to_status_rest_id, (
    SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
    WHERE n.reply_id = t.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
  )) AS parent_rest_id,
  (
    WITH RECURSIVE up (rest_id, depth) AS (
      SELECT t.rest_id, 0
      UNION ALL
      SELECT coalesce(c.in_reply_to_status_rest_id, (
        SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
        WHERE n.reply_id = c.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
      )), up.depth + 1
      FROM up JOIN tweets c ON c.rest_id = up.rest_id
      WHERE up.depth < 1000
        AND (c.in_reply_to_status_rest_id IS NOT NULL OR EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = c.id))
    )
    SELECT up.rest_id FROM up ORDER BY up.depth DESC LIMIT 1
  ) AS root_rest_id,
  (
    WITH RECURSIVE up (rest_id, depth) AS (
      SELECT t.rest_id, 0
      UNION ALL
      SELECT coalesce(c.in_reply_to_status_rest_id, (
        SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
        WHERE n.reply_id = c.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
      )), up.depth + 1
      FROM up JOIN tweets c ON c.rest_id = up.rest_id
      WHERE up.depth < 1000
        AND (c.in_reply_to_status_rest_id IS NOT NULL OR EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = c.id))
    )
    SELECT max(up.depth) FROM up
  ) AS depth
FROM tweets t
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
-- The first day of the epoch was a Thursday.
CREATE VIEW `v_posting_activity` AS
SELECT
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  (t.created_at / 86400000 + 3) % 7 + 1 AS weekday,
  t.created_at / 3600000 % 24 AS hour,
  count(*) AS tweets
FROM tweets t
JOIN users a ON a.id = t.author_id
WHERE t.created_at >= 0
GROUP BY a.rest_id, (t.created_at / 86400000 + 3) % 7 + 1, t.created_at / 3600000 % 24;
--> statement-breakpoint
-- Evidence as in coverage, and in the crawls that found nothing newer (invariants 4 and 5). An end that is no evidence counts
-- like the end of a page: down to the item before the last.
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
  WHERE c.reason = 'no_tweets' AND c.state = 'complete' AND c.kind IN ('timeline', 'replies') AND c.target_rest_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM coverage v WHERE v.kind = c.kind AND v.target = c.target_rest_id)
  GROUP BY c.kind, c.target_rest_id
) p
LEFT JOIN users u ON u.rest_id = p.account_rest_id;
--> statement-breakpoint
CREATE VIEW `v_complete_lists` AS
SELECT
  s.side AS kind,
  u.rest_id AS account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.finished_at / 1000.0, 'unixepoch') AS finished_at,
  s.missed_count AS missed,
  s.ended_count AS ended,
  s.crawl_id
FROM _list_snapshots s
JOIN users u ON u.id = s.user_id;
