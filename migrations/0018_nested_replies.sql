CREATE TABLE `tweet_replies` (
	`tweet_id` integer NOT NULL,
	`reply_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`tweet_id`, `reply_id`)
);
--> statement-breakpoint
CREATE INDEX `tweet_replies_reply` ON `tweet_replies` (`reply_id`);--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to_user` ON `tweets` (`in_reply_to_user_id`) WHERE in_reply_to_user_id is not null;--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to_screen_name` ON `tweets` ("in_reply_to_screen_name" collate nocase) WHERE in_reply_to_screen_name is not null;
--> statement-breakpoint
-- A reply says so itself (in_reply_to_*), or stood below another tweet. What its author's list showed without either is an
-- original (spec, endpoint rule 2). Of everything else nothing says which it is.
DROP VIEW `v_tweets`;
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
  CASE
    WHEN coalesce(t.in_reply_to_status_id, t.in_reply_to_user_id, t.in_reply_to_screen_name) IS NOT NULL THEN 1
    WHEN EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = t.id) THEN 1
    WHEN t.listed <> 0 THEN 0
  END AS is_reply,
  t.in_reply_to_status_id,
  t.in_reply_to_user_id,
  t.in_reply_to_screen_name COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS first_seen,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.seen_at / 1000.0, 'unixepoch') AS seen_at
FROM tweets t
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
-- Four plain arms, so that a question about either side of any of them reads an index: the parent and its author are
-- stored; the account that is answered is; neither is; and the reply only stood below its parent.
DROP VIEW `v_replies`;
--> statement-breakpoint
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
JOIN tweets p ON p.rest_id = r.in_reply_to_status_id
JOIN users pa ON pa.id = p.author_id
LEFT JOIN users a ON a.id = r.author_id
WHERE r.in_reply_to_status_id IS NOT NULL AND pa.screen_name IS NOT NULL
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  r.in_reply_to_status_id,
  pa.rest_id,
  pa.screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweets r
JOIN users pa ON pa.rest_id = r.in_reply_to_user_id
LEFT JOIN tweets p ON p.rest_id = r.in_reply_to_status_id
LEFT JOIN users a ON a.id = r.author_id
WHERE r.in_reply_to_user_id IS NOT NULL AND pa.screen_name IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM tweets q JOIN users qa ON qa.id = q.author_id WHERE q.rest_id = r.in_reply_to_status_id AND qa.screen_name IS NOT NULL)
  AND (r.in_reply_to_status_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = r.id))
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  r.in_reply_to_status_id,
  r.in_reply_to_user_id,
  r.in_reply_to_screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweets r
LEFT JOIN tweets p ON p.rest_id = r.in_reply_to_status_id
LEFT JOIN users a ON a.id = r.author_id
WHERE (r.in_reply_to_status_id IS NOT NULL OR r.in_reply_to_user_id IS NOT NULL OR r.in_reply_to_screen_name IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM tweets q JOIN users qa ON qa.id = q.author_id WHERE q.rest_id = r.in_reply_to_status_id AND qa.screen_name IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.rest_id = r.in_reply_to_user_id AND u.screen_name IS NOT NULL)
  AND (r.in_reply_to_status_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = r.id))
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  p.rest_id,
  pa.rest_id,
  pa.screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweet_replies n
JOIN tweets r ON r.id = n.reply_id
JOIN tweets p ON p.id = n.tweet_id
LEFT JOIN users a ON a.id = r.author_id
LEFT JOIN users pa ON pa.id = p.author_id
WHERE r.in_reply_to_status_id IS NULL;
