-- Full-text search over users. A trigger per row, as tweets have, made new follower pages 1.4 times as dear to store
-- (decision 5). So users beyond the highest one indexed are added all at once, whenever a crawl is handed back or ends;
-- a user that is indexed already is kept right at once, which is seldom.
CREATE VIRTUAL TABLE `users_fts` USING fts5(screen_name, name, description, content='users', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
INSERT INTO `users_fts` (`users_fts`) VALUES ('rebuild');
--> statement-breakpoint
CREATE TRIGGER `users_fts_catch_up` AFTER UPDATE OF state ON `crawls` WHEN new.state <> 'running'
BEGIN
  INSERT INTO `users_fts` (rowid, screen_name, name, description)
  SELECT id, screen_name, name, description FROM `users` WHERE id > coalesce((SELECT max(id) FROM `users_fts_docsize`), 0);
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_update` AFTER UPDATE OF screen_name, name, description ON `users`
WHEN (old.screen_name is not new.screen_name or old.name is not new.name or old.description is not new.description) and old.id <= (SELECT max(id) FROM `users_fts_docsize`)
BEGIN
  INSERT INTO `users_fts` (`users_fts`, rowid, screen_name, name, description) VALUES ('delete', old.id, old.screen_name, old.name, old.description);
  INSERT INTO `users_fts` (rowid, screen_name, name, description) VALUES (new.id, new.screen_name, new.name, new.description);
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_delete` AFTER DELETE ON `users` WHEN old.id <= (SELECT max(id) FROM `users_fts_docsize`)
BEGIN
  INSERT INTO `users_fts` (`users_fts`, rowid, screen_name, name, description) VALUES ('delete', old.id, old.screen_name, old.name, old.description);
END;
--> statement-breakpoint
-- The views for analysis: the service's ids as text, times as ISO 8601. Handles are compared without regard to case,
-- and so by the index over them. `id` is the store's own number, which the full-text tables call rowid.
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
  CASE WHEN profile_at IS NOT NULL THEN 'profile' WHEN summary_at IS NOT NULL THEN 'summary' ELSE 'reference' END AS known_by,
  strftime('%Y-%m-%dT%H:%M:%fZ', first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', seen_at / 1000.0, 'unixepoch') AS seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', summary_at / 1000.0, 'unixepoch') AS summary_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', profile_at / 1000.0, 'unixepoch') AS profile_at
FROM users;
--> statement-breakpoint
CREATE VIEW `v_tweets` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  t.created_at AS created_ms,
  t.favorite_count,
  t.retweet_count,
  t.reply_count,
  t.quote_count,
  CASE WHEN coalesce(t.favorite_count, t.retweet_count, t.reply_count, t.quote_count) IS NOT NULL
    THEN coalesce(t.favorite_count, 0) + coalesce(t.retweet_count, 0) + coalesce(t.reply_count, 0) + coalesce(t.quote_count, 0)
  END AS engagement,
  t.has_media,
  (SELECT count(*) FROM media m WHERE m.tweet_id = t.id) AS media_count,
  coalesce(t.in_reply_to_status_id, t.in_reply_to_user_id) IS NOT NULL AS is_reply,
  t.in_reply_to_status_id,
  t.in_reply_to_user_id,
  t.in_reply_to_screen_name COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.seen_at / 1000.0, 'unixepoch') AS seen_at
FROM tweets t
LEFT JOIN users a ON a.id = t.author_id;
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
--> statement-breakpoint
CREATE VIEW `v_hashtags_per_day` AS
SELECT
  date(t.created_at / 1000.0, 'unixepoch') AS day,
  h.tag,
  count(*) AS tweets,
  count(DISTINCT t.author_id) AS authors
FROM tweet_hashtags h
JOIN tweets t ON t.id = h.tweet_id
GROUP BY h.tag, date(t.created_at / 1000.0, 'unixepoch');
--> statement-breakpoint
-- The parent's author is joined as a derived table because SQLite then looks at the joins once more after unfolding it,
-- and sees that a question about parent_author may start from there. As a plain join it would read every reply.
CREATE VIEW `v_replies` AS
SELECT
  r.id,
  r.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch') AS created_at,
  r.in_reply_to_status_id AS parent_rest_id,
  pa.rest_id AS parent_author_rest_id,
  pa.screen_name COLLATE NOCASE AS parent_author,
  p.text AS parent_text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch') AS parent_created_at,
  (r.created_at - p.created_at) / 1000.0 AS latency_seconds
FROM tweets r
LEFT JOIN users a ON a.id = r.author_id
LEFT JOIN tweets p ON p.rest_id = r.in_reply_to_status_id
LEFT JOIN (SELECT id, rest_id, screen_name FROM users) pa ON pa.id = p.author_id
WHERE r.in_reply_to_status_id IS NOT NULL;
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
