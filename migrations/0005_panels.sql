CREATE TABLE `panel_members` (
	`id` integer PRIMARY KEY NOT NULL,
	`panel_id` integer NOT NULL,
	`rest_id` text NOT NULL,
	`handle` text,
	`note` text,
	`added_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`panel_id`) REFERENCES `panels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `panel_members_current` ON `panel_members` (`panel_id`,`rest_id`) WHERE removed_at is null;--> statement-breakpoint
CREATE TABLE `panels` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `panels_name_unique` ON `panels` (`name`);--> statement-breakpoint
-- A crawl that failed with `not_found` asked followers or following by the id, and the service has no such user (spec,
-- Errors). Requests of user-profile by a handle show nothing: the account may be renamed. The id of a crawl of a handle is in
-- the parameters of the stored response.
CREATE VIEW `v_unavailable_accounts` AS
SELECT
  u.rest_id,
  u.screen_name COLLATE NOCASE AS screen_name,
  'unavailable' AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(e.noticed_at) / 1000.0, 'unixepoch') AS noticed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  e.crawl_id
FROM (
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
  FROM crawls c
  WHERE c.state = 'failed' AND c.reason = 'not_found'
) e
JOIN users u ON u.rest_id = e.rest_id
LEFT JOIN _user_last_seen s ON s.user_id = u.id
WHERE e.noticed_at > coalesce(s.last_seen_at, 0)
GROUP BY u.id;
--> statement-breakpoint
CREATE VIEW `v_panel_members` AS
SELECT
  m.id,
  p.name AS panel,
  m.rest_id,
  u.screen_name COLLATE NOCASE AS screen_name,
  m.handle COLLATE NOCASE AS handle,
  m.note,
  strftime('%Y-%m-%dT%H:%M:%fZ', m.added_at / 1000.0, 'unixepoch') AS added_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', m.removed_at / 1000.0, 'unixepoch') AS removed_at,
  CASE
    WHEN a.state IS NOT NULL THEN a.state
    WHEN u.id IS NULL THEN 'unseen'
    WHEN u.screen_name <> m.handle COLLATE NOCASE THEN 'renamed'
  END AS state,
  a.noticed_at
FROM panel_members m
JOIN panels p ON p.id = m.panel_id
LEFT JOIN users u ON u.rest_id = m.rest_id
LEFT JOIN v_unavailable_accounts a ON a.rest_id = m.rest_id;
