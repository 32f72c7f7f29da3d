ALTER TABLE `crawls` ADD `changes` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `author_id` integer;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `text` text;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `created_at` integer;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `has_media` integer;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `in_reply_to_status_id` text;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `in_reply_to_user_id` text;--> statement-breakpoint
ALTER TABLE `tweet_history` ADD `in_reply_to_screen_name` text;--> statement-breakpoint
ALTER TABLE `tweets` ADD `has_media_at` integer;--> statement-breakpoint
ALTER TABLE `tweets` ADD `in_reply_to_at` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `location` text;--> statement-breakpoint
ALTER TABLE `user_history` ADD `url` text;--> statement-breakpoint
ALTER TABLE `user_history` ADD `type` text;--> statement-breakpoint
ALTER TABLE `user_history` ADD `profile_image_url` text;--> statement-breakpoint
ALTER TABLE `user_history` ADD `cover_image_url` text;--> statement-breakpoint
ALTER TABLE `user_history` ADD `verified` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `is_blue_verified` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `can_dm` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `has_custom_timelines` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `is_translator` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `favourites_count` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `media_count` integer;--> statement-breakpoint
ALTER TABLE `user_history` ADD `created_at` integer;
--> statement-breakpoint
-- History of every column (invariant 7), and only when it changes. A trigger for each group of columns that is shown together:
-- its time is when the group was last seen, and an update sets off only those of the columns that it sets.
DROP TRIGGER `user_history_keep`;
--> statement-breakpoint
DROP TRIGGER `tweet_history_keep`;
--> statement-breakpoint
CREATE TRIGGER `user_history_names` AFTER UPDATE OF screen_name, name ON `users`
WHEN (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, screen_name, name)
  VALUES (old.id, coalesce((SELECT seen_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when (old.screen_name is not null and old.screen_name is not new.screen_name) then old.screen_name end,
    case when (old.name is not null and old.name is not new.name) then old.name end);
END;
--> statement-breakpoint
-- The picture that only tweet-detail showed, of an author, is no observation of the account.
CREATE TRIGGER `user_history_summary` AFTER UPDATE OF followers_count, following_count, description, profile_image_url ON `users`
WHEN (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count) or (old.description is not null and old.description is not new.description) or ((old.profile_image_url is not null and old.profile_image_url is not new.profile_image_url) and (old.profile_at is not null or (SELECT summary_at FROM `users_seen` WHERE user_id = old.id) is not null))
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, followers_count, following_count, description, profile_image_url)
  VALUES (old.id, max(coalesce((SELECT summary_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(old.profile_at, 0)), coalesce(new.changed_at, new.first_seen),
    case when (old.followers_count is not null and old.followers_count is not new.followers_count) then old.followers_count end,
    case when (old.following_count is not null and old.following_count is not new.following_count) then old.following_count end,
    case when (old.description is not null and old.description is not new.description) then old.description end,
    case when ((old.profile_image_url is not null and old.profile_image_url is not new.profile_image_url) and (old.profile_at is not null or (SELECT summary_at FROM `users_seen` WHERE user_id = old.id) is not null)) then old.profile_image_url end);
END;
--> statement-breakpoint
CREATE TRIGGER `user_history_verified` AFTER UPDATE OF verified ON `users`
WHEN (old.verified is not null and old.verified is not new.verified)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, verified)
  VALUES (old.id, coalesce((SELECT summary_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when (old.verified is not null and old.verified is not new.verified) then old.verified end);
END;
--> statement-breakpoint
CREATE TRIGGER `user_history_profile` AFTER UPDATE OF location, url, type, cover_image_url, is_blue_verified, can_dm, has_custom_timelines, is_translator, favourites_count, media_count, statuses_count, created_at ON `users`
WHEN (old.location is not null and old.location is not new.location) or (old.url is not null and old.url is not new.url) or (old.type is not null and old.type is not new.type) or (old.cover_image_url is not null and old.cover_image_url is not new.cover_image_url) or (old.is_blue_verified is not null and old.is_blue_verified is not new.is_blue_verified) or (old.can_dm is not null and old.can_dm is not new.can_dm) or (old.has_custom_timelines is not null and old.has_custom_timelines is not new.has_custom_timelines) or (old.is_translator is not null and old.is_translator is not new.is_translator) or (old.favourites_count is not null and old.favourites_count is not new.favourites_count) or (old.media_count is not null and old.media_count is not new.media_count) or (old.statuses_count is not null and old.statuses_count is not new.statuses_count) or (old.created_at is not null and old.created_at is not new.created_at)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, location, url, type, cover_image_url, is_blue_verified, can_dm, has_custom_timelines, is_translator, favourites_count, media_count, statuses_count, created_at)
  VALUES (old.id, coalesce(old.profile_at, old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when (old.location is not null and old.location is not new.location) then old.location end,
    case when (old.url is not null and old.url is not new.url) then old.url end,
    case when (old.type is not null and old.type is not new.type) then old.type end,
    case when (old.cover_image_url is not null and old.cover_image_url is not new.cover_image_url) then old.cover_image_url end,
    case when (old.is_blue_verified is not null and old.is_blue_verified is not new.is_blue_verified) then old.is_blue_verified end,
    case when (old.can_dm is not null and old.can_dm is not new.can_dm) then old.can_dm end,
    case when (old.has_custom_timelines is not null and old.has_custom_timelines is not new.has_custom_timelines) then old.has_custom_timelines end,
    case when (old.is_translator is not null and old.is_translator is not new.is_translator) then old.is_translator end,
    case when (old.favourites_count is not null and old.favourites_count is not new.favourites_count) then old.favourites_count end,
    case when (old.media_count is not null and old.media_count is not new.media_count) then old.media_count end,
    case when (old.statuses_count is not null and old.statuses_count is not new.statuses_count) then old.statuses_count end,
    case when (old.created_at is not null and old.created_at is not new.created_at) then old.created_at end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_shown` AFTER UPDATE OF favorite_count, retweet_count, reply_count, quote_count, author_id, text, created_at ON `tweets`
WHEN (old.favorite_count is not null and old.favorite_count is not new.favorite_count) or (old.retweet_count is not null and old.retweet_count is not new.retweet_count) or (old.reply_count is not null and old.reply_count is not new.reply_count) or (old.quote_count is not null and old.quote_count is not new.quote_count) or (old.author_id is not null and old.author_id is not new.author_id) or (old.text is not null and old.text is not new.text) or (old.created_at is not null and old.created_at is not new.created_at)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen, changed_at, favorite_count, retweet_count, reply_count, quote_count, author_id, text, created_at)
  VALUES (old.id, old.seen_at, new.seen_at,
    case when (old.favorite_count is not null and old.favorite_count is not new.favorite_count) then old.favorite_count end,
    case when (old.retweet_count is not null and old.retweet_count is not new.retweet_count) then old.retweet_count end,
    case when (old.reply_count is not null and old.reply_count is not new.reply_count) then old.reply_count end,
    case when (old.quote_count is not null and old.quote_count is not new.quote_count) then old.quote_count end,
    case when (old.author_id is not null and old.author_id is not new.author_id) then old.author_id end,
    case when (old.text is not null and old.text is not new.text) then old.text end,
    case when (old.created_at is not null and old.created_at is not new.created_at) then old.created_at end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_media` AFTER UPDATE OF has_media ON `tweets`
WHEN (old.has_media is not null and old.has_media is not new.has_media)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen, changed_at, has_media)
  VALUES (old.id, coalesce(old.has_media_at, old.first_seen), coalesce(new.has_media_at, new.seen_at),
    case when (old.has_media is not null and old.has_media is not new.has_media) then old.has_media end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_in_reply_to` AFTER UPDATE OF in_reply_to_status_id, in_reply_to_user_id, in_reply_to_screen_name ON `tweets`
WHEN (old.in_reply_to_status_id is not null and old.in_reply_to_status_id is not new.in_reply_to_status_id) or (old.in_reply_to_user_id is not null and old.in_reply_to_user_id is not new.in_reply_to_user_id) or (old.in_reply_to_screen_name is not null and old.in_reply_to_screen_name is not new.in_reply_to_screen_name)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen, changed_at, in_reply_to_status_id, in_reply_to_user_id, in_reply_to_screen_name)
  VALUES (old.id, coalesce(old.in_reply_to_at, old.first_seen), coalesce(new.in_reply_to_at, new.seen_at),
    case when (old.in_reply_to_status_id is not null and old.in_reply_to_status_id is not new.in_reply_to_status_id) then old.in_reply_to_status_id end,
    case when (old.in_reply_to_user_id is not null and old.in_reply_to_user_id is not new.in_reply_to_user_id) then old.in_reply_to_user_id end,
    case when (old.in_reply_to_screen_name is not null and old.in_reply_to_screen_name is not new.in_reply_to_screen_name) then old.in_reply_to_screen_name end);
END;
--> statement-breakpoint
-- What few endpoints show of a tweet has a time of its own from now on; until now the handle alone had one where it was older.
UPDATE `tweets` SET has_media_at = CASE WHEN has_media IS NOT NULL THEN seen_at END,
  in_reply_to_at = CASE WHEN coalesce(in_reply_to_status_id, in_reply_to_user_id, in_reply_to_screen_name) IS NOT NULL
    THEN coalesce((SELECT b.seen_at FROM `tweets_behind` b WHERE b.tweet_id = `tweets`.id AND b.`column` = 'in_reply_to_screen_name'), seen_at) END;
--> statement-breakpoint
DELETE FROM `tweets_behind` WHERE `column` = 'in_reply_to_screen_name';
--> statement-breakpoint
UPDATE `tweets` SET behind = 0 WHERE behind = 1 AND NOT EXISTS (SELECT 1 FROM `tweets_behind` b WHERE b.tweet_id = `tweets`.id);
--> statement-breakpoint
-- What crawls found otherwise than it was stored, as far as it is on record by crawl: edges that ended, and deletions.
UPDATE `crawls` SET changes = coalesce((SELECT l.ended FROM `complete_lists` l WHERE l.crawl_id = `crawls`.id), 0)
  + (SELECT count(*) FROM `absences` a WHERE a.crawl_id = `crawls`.id AND a.confirmed_at IS NOT NULL);
--> statement-breakpoint
DROP VIEW `v_user_versions`;
--> statement-breakpoint
CREATE VIEW `v_user_versions` AS
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) COLLATE NOCASE AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT location FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.location IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.location) AS location,
  coalesce((SELECT url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.url) AS url,
  coalesce((SELECT type FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.type IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.type) AS type,
  coalesce((SELECT profile_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.profile_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.profile_image_url) AS profile_image_url,
  coalesce((SELECT cover_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.cover_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.cover_image_url) AS cover_image_url,
  coalesce((SELECT verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.verified) AS verified,
  coalesce((SELECT is_blue_verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.is_blue_verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_blue_verified) AS is_blue_verified,
  coalesce((SELECT can_dm FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.can_dm IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.can_dm) AS can_dm,
  coalesce((SELECT has_custom_timelines FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.has_custom_timelines IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.has_custom_timelines) AS has_custom_timelines,
  coalesce((SELECT is_translator FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.is_translator IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_translator) AS is_translator,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT favourites_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.favourites_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.favourites_count) AS favourites_count,
  coalesce((SELECT media_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.media_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.media_count) AS media_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.created_at) / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.first_seen / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > u.first_seen) / 1000.0, 'unixepoch') AS valid_to
FROM users u
UNION ALL
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) COLLATE NOCASE AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT location FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.location IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.location) AS location,
  coalesce((SELECT url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.url) AS url,
  coalesce((SELECT type FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.type IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.type) AS type,
  coalesce((SELECT profile_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.profile_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.profile_image_url) AS profile_image_url,
  coalesce((SELECT cover_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.cover_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.cover_image_url) AS cover_image_url,
  coalesce((SELECT verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.verified) AS verified,
  coalesce((SELECT is_blue_verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.is_blue_verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_blue_verified) AS is_blue_verified,
  coalesce((SELECT can_dm FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.can_dm IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.can_dm) AS can_dm,
  coalesce((SELECT has_custom_timelines FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.has_custom_timelines IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.has_custom_timelines) AS has_custom_timelines,
  coalesce((SELECT is_translator FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.is_translator IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_translator) AS is_translator,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT favourites_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.favourites_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.favourites_count) AS favourites_count,
  coalesce((SELECT media_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.media_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.media_count) AS media_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.created_at) / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM user_history h JOIN users u ON u.id = h.user_id
WHERE h.changed_at > u.first_seen AND NOT EXISTS (SELECT 1 FROM user_history d WHERE d.user_id = h.user_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
DROP VIEW `v_tweet_versions`;
--> statement-breakpoint
CREATE VIEW `v_tweet_versions` AS
SELECT
  t.id,
  t.rest_id,
  (SELECT a.rest_id FROM users a WHERE a.id = coalesce((SELECT author_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.author_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.author_id)) AS author_rest_id,
  coalesce((SELECT text FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.text IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.text) AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.created_at) / 1000.0, 'unixepoch') AS created_at,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  coalesce((SELECT has_media FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.has_media IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.has_media) AS has_media,
  coalesce((SELECT in_reply_to_status_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.in_reply_to_status_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_status_id) AS in_reply_to_status_id,
  coalesce((SELECT in_reply_to_user_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.in_reply_to_user_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_user_id) AS in_reply_to_user_id,
  coalesce((SELECT in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.in_reply_to_screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_screen_name) COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > t.first_seen) / 1000.0, 'unixepoch') AS valid_to
FROM tweets t
UNION ALL
SELECT
  t.id,
  t.rest_id,
  (SELECT a.rest_id FROM users a WHERE a.id = coalesce((SELECT author_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.author_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.author_id)) AS author_rest_id,
  coalesce((SELECT text FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.text IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.text) AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.created_at) / 1000.0, 'unixepoch') AS created_at,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  coalesce((SELECT has_media FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.has_media IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.has_media) AS has_media,
  coalesce((SELECT in_reply_to_status_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_status_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_status_id) AS in_reply_to_status_id,
  coalesce((SELECT in_reply_to_user_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_user_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_user_id) AS in_reply_to_user_id,
  coalesce((SELECT in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_screen_name) COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id
WHERE h.changed_at > t.first_seen AND NOT EXISTS (SELECT 1 FROM tweet_history d WHERE d.tweet_id = h.tweet_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
-- What changed, one row for each value that gave way to another.
CREATE VIEW `v_user_changes` AS
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE AS screen_name, 'screen_name' AS field, h.screen_name AS old_value, coalesce((SELECT v.screen_name FROM user_history v WHERE v.user_id = h.user_id AND v.screen_name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.screen_name) AS new_value, strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch') AS last_seen, strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS changed_at
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.screen_name IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'name', h.name, coalesce((SELECT v.name FROM user_history v WHERE v.user_id = h.user_id AND v.name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.name), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.name IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'description', h.description, coalesce((SELECT v.description FROM user_history v WHERE v.user_id = h.user_id AND v.description IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.description), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.description IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'location', h.location, coalesce((SELECT v.location FROM user_history v WHERE v.user_id = h.user_id AND v.location IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.location), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.location IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'url', h.url, coalesce((SELECT v.url FROM user_history v WHERE v.user_id = h.user_id AND v.url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'type', h.type, coalesce((SELECT v.type FROM user_history v WHERE v.user_id = h.user_id AND v.type IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.type), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.type IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'profile_image_url', h.profile_image_url, coalesce((SELECT v.profile_image_url FROM user_history v WHERE v.user_id = h.user_id AND v.profile_image_url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.profile_image_url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.profile_image_url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'cover_image_url', h.cover_image_url, coalesce((SELECT v.cover_image_url FROM user_history v WHERE v.user_id = h.user_id AND v.cover_image_url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.cover_image_url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.cover_image_url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'verified', h.verified, coalesce((SELECT v.verified FROM user_history v WHERE v.user_id = h.user_id AND v.verified IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.verified), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.verified IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'is_blue_verified', h.is_blue_verified, coalesce((SELECT v.is_blue_verified FROM user_history v WHERE v.user_id = h.user_id AND v.is_blue_verified IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.is_blue_verified), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.is_blue_verified IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'can_dm', h.can_dm, coalesce((SELECT v.can_dm FROM user_history v WHERE v.user_id = h.user_id AND v.can_dm IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.can_dm), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.can_dm IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'has_custom_timelines', h.has_custom_timelines, coalesce((SELECT v.has_custom_timelines FROM user_history v WHERE v.user_id = h.user_id AND v.has_custom_timelines IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.has_custom_timelines), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.has_custom_timelines IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'is_translator', h.is_translator, coalesce((SELECT v.is_translator FROM user_history v WHERE v.user_id = h.user_id AND v.is_translator IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.is_translator), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.is_translator IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'followers_count', h.followers_count, coalesce((SELECT v.followers_count FROM user_history v WHERE v.user_id = h.user_id AND v.followers_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.followers_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.followers_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'following_count', h.following_count, coalesce((SELECT v.following_count FROM user_history v WHERE v.user_id = h.user_id AND v.following_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.following_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.following_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'favourites_count', h.favourites_count, coalesce((SELECT v.favourites_count FROM user_history v WHERE v.user_id = h.user_id AND v.favourites_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.favourites_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.favourites_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'media_count', h.media_count, coalesce((SELECT v.media_count FROM user_history v WHERE v.user_id = h.user_id AND v.media_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.media_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.media_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'statuses_count', h.statuses_count, coalesce((SELECT v.statuses_count FROM user_history v WHERE v.user_id = h.user_id AND v.statuses_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.statuses_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.statuses_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT v.created_at FROM user_history v WHERE v.user_id = h.user_id AND v.created_at IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.created_at) / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.created_at IS NOT NULL;
--> statement-breakpoint
CREATE VIEW `v_tweet_changes` AS
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE AS author, 'author_rest_id' AS field, (SELECT x.rest_id FROM users x WHERE x.id = h.author_id) AS old_value, (SELECT x.rest_id FROM users x WHERE x.id = coalesce((SELECT v.author_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.author_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.author_id)) AS new_value, strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch') AS last_seen, strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS changed_at
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.author_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'text', h.text, coalesce((SELECT v.text FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.text IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.text), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.text IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT v.created_at FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.created_at IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.created_at) / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.created_at IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'favorite_count', h.favorite_count, coalesce((SELECT v.favorite_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.favorite_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.favorite_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.favorite_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'retweet_count', h.retweet_count, coalesce((SELECT v.retweet_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.retweet_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.retweet_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.retweet_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'reply_count', h.reply_count, coalesce((SELECT v.reply_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.reply_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.reply_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.reply_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'quote_count', h.quote_count, coalesce((SELECT v.quote_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.quote_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.quote_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.quote_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'has_media', h.has_media, coalesce((SELECT v.has_media FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.has_media IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.has_media), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.has_media IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_status_id', h.in_reply_to_status_id, coalesce((SELECT v.in_reply_to_status_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_status_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_status_id), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_status_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_user_id', h.in_reply_to_user_id, coalesce((SELECT v.in_reply_to_user_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_user_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_user_id), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_user_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_screen_name', h.in_reply_to_screen_name, coalesce((SELECT v.in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_screen_name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_screen_name), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_screen_name IS NOT NULL;
--> statement-breakpoint
DROP VIEW `v_crawls`;
--> statement-breakpoint
CREATE VIEW `v_crawls` AS
SELECT
  id,
  kind,
  target,
  target_id,
  options,
  class,
  parent_id,
  root_id,
  state,
  reason,
  ending,
  error,
  pages,
  items,
  new_items,
  changes,
  rejected,
  requests,
  1.0 * requests / nullif(new_items, 0) AS requests_per_new_item,
  (coalesce(finished_at, updated_at) - started_at) / 1000.0 AS seconds,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', resume_at / 1000.0, 'unixepoch') AS resume_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at
FROM crawls;
