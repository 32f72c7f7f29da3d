CREATE TABLE `pruned_ranges` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`oldest_at` integer,
	`newest_at` integer,
	`items` integer NOT NULL,
	`pruned_at` integer NOT NULL,
	`prune_id` integer NOT NULL,
	FOREIGN KEY (`prune_id`) REFERENCES `_prunes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pruned_ranges_list` ON `pruned_ranges` (`kind`,`target`);--> statement-breakpoint
CREATE TABLE `_prunes` (
	`id` integer PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`job_name` text,
	`is_retention` integer NOT NULL,
	`older_than` integer,
	`removed` text DEFAULT '{}' NOT NULL,
	`body_bytes` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `_prunes_job` ON `_prunes` (`job_name`,`scope`);--> statement-breakpoint
CREATE TABLE `_raw_page_times` (
	`raw_page_id` integer PRIMARY KEY NOT NULL,
	`oldest_tweet_at` integer
);
--> statement-breakpoint
CREATE INDEX `_raw_page_times_oldest` ON `_raw_page_times` (`oldest_tweet_at`) WHERE oldest_tweet_at is not null;--> statement-breakpoint
CREATE INDEX `community_tweets_tweet` ON `community_tweets` (`tweet_id`);--> statement-breakpoint
CREATE INDEX `list_tweets_tweet` ON `list_tweets` (`tweet_id`);--> statement-breakpoint
CREATE INDEX `search_hits_tweet` ON `search_hits` (`tweet_id`);--> statement-breakpoint
CREATE INDEX `_steps_raw_page` ON `_steps` (`first_raw_page_id`) WHERE first_raw_page_id is not null;
--> statement-breakpoint
-- Views:
DROP VIEW `v_completeness`;
--> statement-breakpoint
-- A list with pruned items is not complete. Followers and followed accounts lose their evidence, `_list_snapshots`, instead.
CREATE VIEW `v_completeness` AS
WITH latest AS (
  SELECT kind, coalesce(target_rest_id, target) AS list, max(id) AS crawl_id FROM crawls WHERE finished_at IS NOT NULL GROUP BY 1, 2
), ended AS (
  SELECT kind, coalesce(target_rest_id, target) AS list, max(finished_at) AS ended_at, id AS crawl_id, state, reason, erased_items, coalesce(started_at, created_at) AS started_at
  FROM crawls
  WHERE state IN ('complete', 'capped') AND coalesce(ending, '') <> 'since' AND NOT (ending = 'joined' AND options ->> '$.since' IS NOT NULL)
  GROUP BY 1, 2
), counted AS (
  SELECT l.list, c.*, u.screen_name, u.id AS user_id,
    e.state AS ended_state, e.reason AS ended_reason, e.started_at AS ended_from, e.crawl_id AS ended_by,
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
  LEFT JOIN pruned_ranges p ON p.kind = l.kind AND p.target = l.list
  LEFT JOIN users u ON u.rest_id = l.list AND c.kind IN ('timeline', 'replies', 'followers', 'following')
), proven AS (
  SELECT *,
    CASE
      WHEN erased > 0 THEN NULL
      WHEN pruned > 0 AND kind NOT IN ('followers', 'following') THEN NULL
      WHEN intervals > 0 AND kind = 'timeline' AND intervals = 1 AND gaps = 0 THEN (
        SELECT coalesce((
          SELECT max(w.started_at) FROM crawls w
          WHERE w.kind = 'timeline' AND w.target_rest_id = counted.list AND w.state = 'complete' AND w.ending IN ('served', 'joined')
            AND (w.ending = 'served' OR w.options ->> '$.since' IS NULL)), v.newest_at)
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
--> statement-breakpoint
DROP VIEW `v_observed_periods`;
--> statement-breakpoint
-- Evidence as in coverage, and in the crawls that found nothing newer (invariants 4 and 5). An end that is no evidence counts
-- like the end of a page: down to the item before the last. An empty list of an account that has tweets may be closed.
CREATE VIEW `_observed_intervals` AS
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
GROUP BY c.kind, c.target_rest_id;
--> statement-breakpoint
-- The times before and after those that were pruned.
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
  SELECT p.kind, p.account_rest_id, p.from_ms, coalesce(r.oldest_at, p.to_ms) AS to_ms
  FROM `_observed_intervals` p
  LEFT JOIN pruned_ranges r ON r.kind = p.kind AND r.target = p.account_rest_id
    AND r.oldest_at < p.to_ms AND (p.from_ms IS NULL OR r.newest_at > p.from_ms)
  WHERE r.id IS NULL OR p.from_ms IS NULL OR p.from_ms < r.oldest_at
  UNION ALL
  SELECT p.kind, p.account_rest_id, r.newest_at, p.to_ms
  FROM `_observed_intervals` p
  JOIN pruned_ranges r ON r.kind = p.kind AND r.target = p.account_rest_id
    AND r.newest_at < p.to_ms AND (p.from_ms IS NULL OR r.newest_at > p.from_ms)
) p
LEFT JOIN users u ON u.rest_id = p.account_rest_id;
--> statement-breakpoint
CREATE VIEW `v_pruned_ranges` AS
SELECT
  r.kind,
  r.target,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.oldest_at / 1000.0, 'unixepoch') AS oldest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.newest_at / 1000.0, 'unixepoch') AS newest_at,
  r.items,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.pruned_at / 1000.0, 'unixepoch') AS pruned_at,
  p.scope,
  p.job_name,
  p.is_retention
FROM pruned_ranges r
JOIN `_prunes` p ON p.id = r.prune_id
LEFT JOIN users u ON u.rest_id = r.target AND r.kind IN ('profile', 'timeline', 'replies', 'followers', 'following');
