-- Each column by its own time (decision 15), and views of what was when.
CREATE TABLE `tweets_behind` (
	`tweet_id` integer NOT NULL,
	`column` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`tweet_id`, `column`)
);
--> statement-breakpoint
CREATE TABLE `users_behind` (
	`user_id` integer NOT NULL,
	`column` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `column`)
);
--> statement-breakpoint
ALTER TABLE `tweets` ADD `behind` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `behind` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `user_history_screen_name` ON `user_history` ("screen_name" collate nocase) WHERE screen_name is not null;
--> statement-breakpoint
-- What was shown is told to have been seen last when what shows it was: names by anything, counts by summaries and
-- profiles, the number of tweets by profiles alone.
DROP TRIGGER `user_history_keep`;
--> statement-breakpoint
CREATE TRIGGER `user_history_keep` AFTER UPDATE OF screen_name, name, description, followers_count, following_count, statuses_count ON `users`
WHEN (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name) or (old.description is not null and old.description is not new.description) or (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count) or (old.statuses_count is not null and old.statuses_count is not new.statuses_count)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, screen_name, name)
  SELECT old.id, coalesce((SELECT seen_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when old.screen_name is not new.screen_name then old.screen_name end,
    case when old.name is not new.name then old.name end
  WHERE (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name);
  INSERT INTO `user_history` (user_id, last_seen, changed_at, description, followers_count, following_count)
  SELECT old.id, max(coalesce((SELECT summary_at FROM `users_seen` WHERE user_id = old.id), old.first_seen), coalesce(old.profile_at, 0)), coalesce(new.changed_at, new.first_seen),
    case when old.description is not new.description then old.description end,
    case when old.followers_count is not new.followers_count then old.followers_count end,
    case when old.following_count is not new.following_count then old.following_count end
  WHERE (old.description is not null and old.description is not new.description) or (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count);
  INSERT INTO `user_history` (user_id, last_seen, changed_at, statuses_count)
  SELECT old.id, coalesce(old.profile_at, old.first_seen), coalesce(new.changed_at, new.first_seen),
    case when old.statuses_count is not new.statuses_count then old.statuses_count end
  WHERE (old.statuses_count is not null and old.statuses_count is not new.statuses_count);
END;
--> statement-breakpoint
-- As of a date: what the store says of a user or a tweet from one time to the next. Two plain arms, so that a question
-- about one of them reads indexes.
CREATE VIEW `v_user_versions` AS
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) COLLATE NOCASE AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.first_seen / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > u.first_seen) / 1000.0, 'unixepoch') AS valid_to
FROM users u
UNION ALL
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM user_history h JOIN users u ON u.id = h.user_id
WHERE h.changed_at > u.first_seen AND NOT EXISTS (SELECT 1 FROM user_history d WHERE d.user_id = h.user_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
CREATE VIEW `v_tweet_versions` AS
SELECT
  t.id,
  t.rest_id,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > t.first_seen) / 1000.0, 'unixepoch') AS valid_to
FROM tweets t
UNION ALL
SELECT
  t.id,
  t.rest_id,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id
WHERE h.changed_at > t.first_seen AND NOT EXISTS (SELECT 1 FROM tweet_history d WHERE d.tweet_id = h.tweet_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
-- Whose handle it was: until the account was seen with another, or another account with it.
CREATE VIEW `v_handle_periods` AS
SELECT
  h.screen_name COLLATE NOCASE AS screen_name,
  u.rest_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = u.id AND p.screen_name IS NOT NULL AND p.changed_at < h.changed_at), u.first_seen) / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen / 1000.0, 'unixepoch') AS last_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_to
FROM user_history h
JOIN users u ON u.id = h.user_id
WHERE h.screen_name IS NOT NULL
UNION ALL
SELECT
  u.screen_name COLLATE NOCASE,
  u.rest_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = u.id AND p.screen_name IS NOT NULL), u.first_seen) / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT b.seen_at FROM users_behind b WHERE b.user_id = u.id AND b.column = 'screen_name'), (SELECT s.seen_at FROM users_seen s WHERE s.user_id = u.id)) / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', nullif(min(
    coalesce((SELECT min(coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL), o.first_seen)) FROM users o WHERE o.screen_name = u.screen_name COLLATE NOCASE AND o.id <> u.id AND coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL), o.first_seen) > coalesce((SELECT b.seen_at FROM users_behind b WHERE b.user_id = u.id AND b.column = 'screen_name'), (SELECT s.seen_at FROM users_seen s WHERE s.user_id = u.id))), 9e18),
    coalesce((SELECT min(coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL AND p.changed_at < oh.changed_at), o.first_seen)) FROM user_history oh JOIN users o ON o.id = oh.user_id WHERE oh.screen_name = u.screen_name COLLATE NOCASE AND o.id <> u.id AND coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL AND p.changed_at < oh.changed_at), o.first_seen) > coalesce((SELECT b.seen_at FROM users_behind b WHERE b.user_id = u.id AND b.column = 'screen_name'), (SELECT s.seen_at FROM users_seen s WHERE s.user_id = u.id))), 9e18)), 9e18) / 1000.0, 'unixepoch')
FROM users u
WHERE u.screen_name IS NOT NULL;
