-- Edges over time: when they were missed first, their earlier stretches, and the lists that prove it (decision 13).
CREATE TABLE `complete_lists` (
	`crawl_id` integer PRIMARY KEY NOT NULL,
	`side` text NOT NULL,
	`user_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`missed` integer NOT NULL,
	`ended` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `complete_lists_user` ON `complete_lists` (`user_id`,`side`,`finished_at`);--> statement-breakpoint
CREATE TABLE `follow_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`first_seen` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`ended` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `follow_history_followee` ON `follow_history` (`followee_id`,`follower_id`);--> statement-breakpoint
CREATE INDEX `follow_history_follower` ON `follow_history` (`follower_id`,`followee_id`);--> statement-breakpoint
ALTER TABLE `follows` ADD `first_missed` integer;--> statement-breakpoint
ALTER TABLE `follows` ADD `seen_in` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `follows_missed_followee` ON `follows` (`followee_id`,`follower_id`) WHERE first_missed is not null;--> statement-breakpoint
CREATE INDEX `follows_missed_follower` ON `follows` (`follower_id`,`followee_id`) WHERE first_missed is not null;
--> statement-breakpoint
UPDATE `follows` SET first_missed = ended WHERE ended IS NOT NULL;
--> statement-breakpoint
DROP VIEW `v_follows`;
--> statement-breakpoint
CREATE VIEW `v_follows` AS
SELECT
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen / 1000.0, 'unixepoch') AS last_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_missed / 1000.0, 'unixepoch') AS first_missed,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended / 1000.0, 'unixepoch') AS ended
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id;
--> statement-breakpoint
-- Who came and who went, each between two times. To have come, an edge must have been lacking in a complete list before:
-- those of the first list ever were there already. Four plain arms, so that a question about one account reads indexes.
CREATE VIEW `v_follow_changes` AS
SELECT
  'came' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', nullif(max(
    coalesce((SELECT started_at FROM complete_lists WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1), 0),
    coalesce((SELECT started_at FROM complete_lists WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1), 0)), 0) / 1000.0, 'unixepoch') AS earliest,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen / 1000.0, 'unixepoch') AS latest
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE EXISTS (SELECT started_at FROM complete_lists WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1) OR EXISTS (SELECT started_at FROM complete_lists WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1)
UNION ALL
SELECT
  'came' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', nullif(max(
    coalesce((SELECT started_at FROM complete_lists WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1), 0),
    coalesce((SELECT started_at FROM complete_lists WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1), 0)), 0) / 1000.0, 'unixepoch') AS earliest,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen / 1000.0, 'unixepoch') AS latest
FROM follow_history f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE EXISTS (SELECT started_at FROM complete_lists WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1) OR EXISTS (SELECT started_at FROM complete_lists WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen ORDER BY finished_at DESC LIMIT 1)
UNION ALL
SELECT
  'went' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen / 1000.0, 'unixepoch') AS earliest,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended / 1000.0, 'unixepoch') AS latest
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE f.ended IS NOT NULL
UNION ALL
SELECT
  'went' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen / 1000.0, 'unixepoch') AS earliest,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended / 1000.0, 'unixepoch') AS latest
FROM follow_history f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE f.ended IS NOT NULL;
