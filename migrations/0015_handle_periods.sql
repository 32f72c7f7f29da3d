-- Who has had which handle. One that somebody else was seen with later has ended: at the latest when theirs began, or,
-- where that was before (they had it back unnoticed), when it was last seen.
DROP VIEW v_handle_periods;
--> statement-breakpoint
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
  strftime('%Y-%m-%dT%H:%M:%fZ', u.known / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', (
    SELECT min(CASE WHEN began > u.known THEN began WHEN last > u.known THEN u.known END)
    FROM (
      SELECT
        coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL), o.first_seen) AS began,
        coalesce((SELECT b.seen_at FROM users_behind b WHERE b.user_id = o.id AND b.column = 'screen_name'), (SELECT s.seen_at FROM users_seen s WHERE s.user_id = o.id)) AS last
      FROM users o
      WHERE o.screen_name = u.screen_name COLLATE NOCASE AND o.id <> u.id
      UNION ALL
      SELECT
        coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = oh.user_id AND p.screen_name IS NOT NULL AND p.changed_at < oh.changed_at), (SELECT o.first_seen FROM users o WHERE o.id = oh.user_id)),
        oh.last_seen
      FROM user_history oh
      WHERE oh.screen_name = u.screen_name COLLATE NOCASE AND oh.user_id <> u.id
    )
  ) / 1000.0, 'unixepoch')
FROM (
  SELECT
    users.*,
    coalesce((SELECT b.seen_at FROM users_behind b WHERE b.user_id = users.id AND b.column = 'screen_name'), (SELECT s.seen_at FROM users_seen s WHERE s.user_id = users.id)) AS known
  FROM users
) u
WHERE u.screen_name IS NOT NULL;
