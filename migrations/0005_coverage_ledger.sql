-- What is known complete, merged per list, in the place of one row per crawl; and the gaps between, as rows (decision 14).
CREATE TABLE `gaps` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`coverage_id` integer,
	`newer_id` text NOT NULL,
	`newer_at` integer NOT NULL,
	`older_id` text,
	`older_at` integer,
	`reason` text NOT NULL,
	`crawl_id` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gaps_coverage_id_unique` ON `gaps` (`coverage_id`);
--> statement-breakpoint
CREATE INDEX `gaps_list` ON `gaps` (`kind`,`target`,`newer_at`);
--> statement-breakpoint
CREATE INDEX `gaps_crawl` ON `gaps` (`crawl_id`);
--> statement-breakpoint
ALTER TABLE `coverage` RENAME TO `coverage_by_crawl`;
--> statement-breakpoint
CREATE TABLE `coverage` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`newest_id` text NOT NULL,
	`newest_at` integer NOT NULL,
	`oldest_id` text NOT NULL,
	`oldest_at` integer NOT NULL,
	`bottom` text,
	`crawl_id` integer NOT NULL,
	`pages` integer NOT NULL,
	`items` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `coverage_list` ON `coverage` (`kind`,`target`,`newest_at`);
--> statement-breakpoint
-- An end is believed only of a crawl all of whose items were in its interval: an interval that stopped half way, for an
-- item set aside or out of order, got the end of its crawl all the same. What overlaps is one interval.
INSERT INTO `coverage` (kind, target, newest_id, newest_at, oldest_id, oldest_at, bottom, crawl_id, pages, items, created_at, updated_at)
WITH spans AS (
  SELECT v.*, c.created_at, CASE WHEN v.bottom IN ('served', 'inferred') AND v.items = c.items AND c.rejected = 0 THEN v.bottom END AS ended
  FROM coverage_by_crawl v JOIN crawls c ON c.id = v.crawl_id
  WHERE v.newest_at IS NOT NULL AND v.oldest_at IS NOT NULL
), bounded AS (
  SELECT *, CASE WHEN ended IS NULL THEN oldest_at ELSE -9e15 END AS floor FROM spans WHERE ended IS NOT NULL OR oldest_at < newest_at
), ordered AS (
  SELECT *, max(newest_at) OVER (PARTITION BY kind, target ORDER BY floor, newest_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM bounded
), islands AS (
  SELECT *, sum(reached IS NULL OR reached <= floor) OVER (PARTITION BY kind, target ORDER BY floor, newest_at, id) AS island FROM ordered
)
SELECT DISTINCT kind, target,
  first_value(newest_id) OVER (PARTITION BY kind, target, island ORDER BY newest_at DESC, id),
  max(newest_at) OVER (PARTITION BY kind, target, island),
  first_value(oldest_id) OVER (PARTITION BY kind, target, island ORDER BY oldest_at, id),
  min(oldest_at) OVER (PARTITION BY kind, target, island),
  max(ended) OVER (PARTITION BY kind, target, island),
  first_value(crawl_id) OVER (PARTITION BY kind, target, island ORDER BY floor, id DESC),
  sum(pages) OVER (PARTITION BY kind, target, island),
  sum(items) OVER (PARTITION BY kind, target, island),
  min(created_at) OVER (PARTITION BY kind, target, island),
  max(updated_at) OVER (PARTITION BY kind, target, island)
FROM islands;
--> statement-breakpoint
INSERT INTO `gaps` (kind, target, coverage_id, newer_id, newer_at, older_id, older_at, reason, crawl_id, updated_at)
SELECT v.kind, v.target, v.id, v.oldest_id, v.oldest_at,
  (SELECT newest_id FROM coverage b WHERE b.kind = v.kind AND b.target = v.target AND b.id <> v.id AND b.newest_at <= v.oldest_at ORDER BY newest_at DESC LIMIT 1),
  (SELECT newest_at FROM coverage b WHERE b.kind = v.kind AND b.target = v.target AND b.id <> v.id AND b.newest_at <= v.oldest_at ORDER BY newest_at DESC LIMIT 1),
  CASE WHEN c.finished_at IS NULL THEN 'open' WHEN o.bottom IN ('max_pages', 'since', 'one_page') THEN o.bottom ELSE 'interrupted' END,
  v.crawl_id, v.updated_at
FROM coverage v JOIN crawls c ON c.id = v.crawl_id JOIN coverage_by_crawl o ON o.crawl_id = v.crawl_id
WHERE v.bottom IS NULL;
--> statement-breakpoint
DROP TABLE `coverage_by_crawl`;
--> statement-breakpoint
CREATE VIEW `v_coverage` AS
SELECT
  v.kind,
  v.target AS target_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.oldest_at / 1000.0, 'unixepoch') AS oldest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.newest_at / 1000.0, 'unixepoch') AS newest_at,
  v.oldest_id,
  v.newest_id,
  v.bottom,
  v.pages,
  v.items,
  v.crawl_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.updated_at / 1000.0, 'unixepoch') AS updated_at
FROM coverage v
LEFT JOIN users u ON u.rest_id = v.target AND v.kind IN ('timeline', 'replies');
--> statement-breakpoint
CREATE VIEW `v_gaps` AS
SELECT
  g.kind,
  g.target AS target_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.older_at / 1000.0, 'unixepoch') AS older_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.newer_at / 1000.0, 'unixepoch') AS newer_at,
  g.older_id,
  g.newer_id,
  g.reason,
  g.crawl_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.updated_at / 1000.0, 'unixepoch') AS updated_at
FROM gaps g
LEFT JOIN users u ON u.rest_id = g.target AND g.kind IN ('timeline', 'replies');
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
  state = 'complete' AS is_complete,
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
