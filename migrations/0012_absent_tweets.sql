-- Deletions, from what lists lack and the service says (decision 19).
CREATE TABLE `absences` (
	`tweet_id` integer PRIMARY KEY NOT NULL,
	`suspected_at` integer NOT NULL,
	`confirmed_at` integer,
	`crawl_id` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `absences_crawl` ON `absences` (`crawl_id`);--> statement-breakpoint
ALTER TABLE `tweets` ADD `listed` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE VIEW `v_absent_tweets` AS
SELECT
  t.id,
  t.rest_id,
  u.rest_id AS author_rest_id,
  u.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  CASE WHEN a.confirmed_at IS NULL THEN 'suspected' ELSE 'deleted' END AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.seen_at / 1000.0, 'unixepoch') AS seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.suspected_at / 1000.0, 'unixepoch') AS suspected_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.confirmed_at / 1000.0, 'unixepoch') AS confirmed_at,
  a.crawl_id
FROM absences a
JOIN tweets t ON t.id = a.tweet_id
LEFT JOIN users u ON u.id = t.author_id
WHERE a.suspected_at > t.seen_at;
