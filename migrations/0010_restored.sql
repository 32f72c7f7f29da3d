CREATE INDEX `crawls_unavailable` ON `crawls` (`target`) WHERE reason = 'unavailable';--> statement-breakpoint
-- Crawls that the service answered with 404 for the id of an account: they failed with `not_found`, or re-checked the account and
-- ended `unavailable`. Both asked followers or following by the id, and the service has no such user (spec, Errors). Requests of
-- user-profile by a handle show nothing: the account may be renamed. The id of a crawl of a handle is in the parameters of the
-- stored response.
CREATE VIEW `_unavailability_evidence` AS
SELECT
  c.id AS crawl_id,
  CASE WHEN c.target GLOB 'id:*' THEN substr(c.target, 4) ELSE coalesce(c.target_rest_id, (
    SELECT p.parameters ->> '$.restId' FROM raw_pages p
    WHERE p.crawl_id = c.id AND p.status = 404 AND p.endpoint IN ('followers', 'following') ORDER BY p.id DESC LIMIT 1
  )) END AS rest_id,
  (
    SELECT max(r.sent_at) FROM requests r
    WHERE r.crawl_id = c.id AND r.status = 404 AND r.endpoint IN ('followers', 'following')
  ) AS noticed_at
FROM (
  SELECT id, target, target_rest_id FROM crawls WHERE state = 'failed' AND reason = 'not_found'
  UNION ALL
  SELECT id, target, target_rest_id FROM crawls WHERE reason = 'unavailable'
) c;
--> statement-breakpoint
DROP VIEW `v_unavailable_accounts`;
--> statement-breakpoint
CREATE VIEW `v_unavailable_accounts` AS
SELECT
  u.rest_id,
  u.screen_name COLLATE NOCASE AS screen_name,
  'unavailable' AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(e.noticed_at) / 1000.0, 'unixepoch') AS noticed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  e.crawl_id
FROM _unavailability_evidence e
JOIN users u ON u.rest_id = e.rest_id
LEFT JOIN _user_last_seen s ON s.user_id = u.id
WHERE e.noticed_at > coalesce(s.last_seen_at, 0)
GROUP BY u.id;
--> statement-breakpoint
-- What the service had no longer and showed again later (invariant 7).
CREATE VIEW `v_restored` AS
SELECT
  'tweet' AS type,
  t.rest_id,
  u.rest_id AS account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.confirmed_at / 1000.0, 'unixepoch') AS gone_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at
FROM _deletion_evidence a
JOIN tweets t ON t.id = a.tweet_id
LEFT JOIN users u ON u.id = t.author_id
WHERE a.confirmed_at IS NOT NULL AND a.suspected_at <= t.last_seen_at
UNION ALL
SELECT
  'account',
  u.rest_id,
  u.rest_id,
  u.screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(e.noticed_at) / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch')
FROM _unavailability_evidence e
JOIN users u ON u.rest_id = e.rest_id
JOIN _user_last_seen s ON s.user_id = u.id
WHERE e.noticed_at IS NOT NULL
GROUP BY u.id
HAVING max(e.noticed_at) <= s.last_seen_at;
