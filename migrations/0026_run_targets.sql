CREATE TABLE `run_targets` (
	`run_id` integer NOT NULL,
	`target` text NOT NULL,
	PRIMARY KEY(`run_id`, `target`)
);
--> statement-breakpoint
ALTER TABLE `crawls` ADD `limit_run_id` integer;--> statement-breakpoint
ALTER TABLE `runs` ADD `targets` integer DEFAULT 0 NOT NULL;