-- When users were last seen moves out of their rows: it is all that changes of most users when they are seen again, and
-- a narrow row is rewritten at half the cost of a wide one (decision 8). Raw bodies say how they are compressed.
CREATE TABLE `users_seen` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`seen_at` integer NOT NULL,
	`summary_at` integer
);
--> statement-breakpoint
INSERT INTO `users_seen` SELECT id, seen_at, summary_at FROM `users`;
--> statement-breakpoint
DROP VIEW `v_users`;
--> statement-breakpoint
DROP TRIGGER `user_history_keep`;
--> statement-breakpoint
ALTER TABLE `users` ADD `changed_at` integer;
--> statement-breakpoint
UPDATE `users` SET changed_at = coalesce((SELECT max(changed_at) FROM `user_history` WHERE user_id = `users`.id), first_seen);
--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `seen_at`;
--> statement-breakpoint
ALTER TABLE `users` DROP COLUMN `summary_at`;
--> statement-breakpoint
CREATE TRIGGER `user_history_keep` AFTER UPDATE OF screen_name, name, description, followers_count, following_count, statuses_count ON `users`
WHEN (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name) or (old.description is not null and old.description is not new.description) or (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count) or (old.statuses_count is not null and old.statuses_count is not new.statuses_count)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, screen_name, name, description, followers_count, following_count, statuses_count)
  VALUES (old.id, coalesce((SELECT seen_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when old.screen_name is not new.screen_name then old.screen_name end,
    case when old.name is not new.name then old.name end,
    case when old.description is not new.description then old.description end,
    case when old.followers_count is not new.followers_count then old.followers_count end,
    case when old.following_count is not new.following_count then old.following_count end,
    case when old.statuses_count is not new.statuses_count then old.statuses_count end);
END;
--> statement-breakpoint
CREATE VIEW `v_users` AS
SELECT
  id,
  rest_id,
  screen_name COLLATE NOCASE AS screen_name,
  name,
  description,
  location,
  url,
  type,
  profile_image_url,
  cover_image_url,
  verified,
  is_blue_verified,
  can_dm,
  has_custom_timelines,
  is_translator,
  followers_count,
  following_count,
  favourites_count,
  media_count,
  statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
  CASE WHEN profile_at IS NOT NULL THEN 'profile' WHEN s.summary_at IS NOT NULL THEN 'summary' ELSE 'reference' END AS known_by,
  strftime('%Y-%m-%dT%H:%M:%fZ', first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', changed_at / 1000.0, 'unixepoch') AS changed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.summary_at / 1000.0, 'unixepoch') AS summary_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', profile_at / 1000.0, 'unixepoch') AS profile_at
FROM users
LEFT JOIN users_seen s ON s.user_id = id;
--> statement-breakpoint
ALTER TABLE `raw_pages` ADD `encoding` text DEFAULT 'deflate' NOT NULL;
--> statement-breakpoint
-- Edges in order of arrival: those of a page are neighbours, and seeing a list again rewrites few pages (decision 9).
DROP VIEW `v_follows`;
--> statement-breakpoint
ALTER TABLE `follows` RENAME TO `follows_by_list`;
--> statement-breakpoint
DROP INDEX `follows_follower`;
--> statement-breakpoint
CREATE TABLE `follows` (
	`id` integer PRIMARY KEY NOT NULL,
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`first_seen` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`ended` integer
);
--> statement-breakpoint
INSERT INTO `follows` (followee_id, follower_id, first_seen, last_seen, ended)
SELECT followee_id, follower_id, first_seen, last_seen, ended FROM `follows_by_list` ORDER BY first_seen, followee_id, follower_id;
--> statement-breakpoint
DROP TABLE `follows_by_list`;
--> statement-breakpoint
CREATE UNIQUE INDEX `follows_follower` ON `follows` (`follower_id`,`followee_id`);
--> statement-breakpoint
CREATE INDEX `follows_followee` ON `follows` (`followee_id`);
--> statement-breakpoint
CREATE VIEW `v_follows` AS
SELECT
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen / 1000.0, 'unixepoch') AS last_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended / 1000.0, 'unixepoch') AS ended
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id;
