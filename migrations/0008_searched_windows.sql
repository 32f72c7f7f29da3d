CREATE TABLE `longest_pages` (
	`endpoint` text PRIMARY KEY NOT NULL,
	`entries` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `searched` (
	`id` integer PRIMARY KEY NOT NULL,
	`query` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`crawl_id` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `searched_window` ON `searched` (`query`,`from_at`,`to_at`);--> statement-breakpoint
CREATE VIEW `v_searched` AS
SELECT
  s.query,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.from_at / 1000.0, 'unixepoch') AS from_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.to_at / 1000.0, 'unixepoch') AS to_at,
  EXISTS (SELECT 1 FROM gaps g WHERE g.kind = 'search' AND g.target = s.query AND g.reason = 'saturated'
    AND g.older_at < s.to_at AND g.newer_at > s.from_at) AS is_saturated,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS seen_at,
  s.crawl_id
FROM searched s;
