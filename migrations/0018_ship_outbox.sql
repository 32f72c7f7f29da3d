CREATE TABLE `_ship_outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`recorded_at` integer NOT NULL,
	`crawl_id` integer,
	`facts` text NOT NULL,
	`total_bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `_ship_targets` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`added_at` integer NOT NULL,
	`max_backlog_bytes` integer NOT NULL,
	`shipped_entry` integer,
	`shipped_at` integer,
	`shipped_bytes` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `_ship_targets_address_unique` ON `_ship_targets` (`address`);