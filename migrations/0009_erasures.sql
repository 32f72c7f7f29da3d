CREATE TABLE `_erasures` (
	`id` integer PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL,
	`mentions` text NOT NULL,
	`removed` text DEFAULT '{}' NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `_tombstones` (
	`hash` text PRIMARY KEY NOT NULL,
	`erasure_id` integer NOT NULL,
	FOREIGN KEY (`erasure_id`) REFERENCES `_erasures`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `crawls` ADD `erased_items` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `_steps` ADD `withheld` text;
--> statement-breakpoint
DROP VIEW `v_crawls`;
--> statement-breakpoint
CREATE VIEW `v_crawls` AS
SELECT
  id,
  kind,
  target,
  handle,
  target_rest_id,
  options,
  priority,
  parent_id,
  root_id,
  run_id,
  target_limit_run_id,
  state,
  reason,
  ending,
  error,
  pages,
  items,
  last_page_items,
  new_items,
  changes,
  rejected_items,
  erased_items,
  requests,
  1.0 * requests / nullif(new_items, 0) AS requests_per_new_item,
  in_flight_requests,
  unknown_requests,
  planned_requests_min,
  planned_requests_expected,
  planned_requests_max,
  consecutive_failures,
  cursor,
  checkpoint,
  lease_token,
  locked_by,
  (coalesce(finished_at, updated_at) - started_at) / 1000.0 AS seconds,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', resume_at / 1000.0, 'unixepoch') AS resume_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', lock_expires_at / 1000.0, 'unixepoch') AS lock_expires_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at,
  (
    SELECT trawl_version FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS trawl_version,
  (
    SELECT service_host FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS service_host,
  (
    SELECT key_label FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS key_label,
  (SELECT count(*) FROM crawl_sources s WHERE s.crawl_id = crawls.id) AS source_count
FROM crawls;
