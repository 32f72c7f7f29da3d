-- Who is mentioned in which tweet: the account that was last seen with the handle, where one is stored.
CREATE VIEW `v_mentions` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  m.screen_name AS mentioned,
  u.rest_id AS mentioned_rest_id,
  u.screen_name COLLATE NOCASE AS mentioned_screen_name,
  u.name AS mentioned_name
FROM tweet_mentions m
JOIN tweets t ON t.id = m.tweet_id
LEFT JOIN users a ON a.id = t.author_id
LEFT JOIN users u ON u.id = (
  SELECT o.id FROM users o LEFT JOIN users_seen s ON s.user_id = o.id
  WHERE o.screen_name = m.screen_name COLLATE NOCASE
  ORDER BY s.seen_at DESC, o.id DESC LIMIT 1);
