CREATE TABLE `steps` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`at` integer NOT NULL,
	`answers` text NOT NULL,
	`raw_page_id` integer,
	`request_id` integer,
	`course` text
);
--> statement-breakpoint
ALTER TABLE `rejects` ADD `resolved_at` integer;--> statement-breakpoint
CREATE INDEX `rejects_page` ON `rejects` (`raw_page_id`);