CREATE TABLE `run_days` (
	`day` integer NOT NULL,
	`run_id` integer NOT NULL,
	`requests` integer NOT NULL,
	PRIMARY KEY(`day`, `run_id`)
);
--> statement-breakpoint
CREATE INDEX `run_days_run` ON `run_days` (`run_id`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`job` text,
	`made_at` integer NOT NULL,
	`per_run` integer,
	`per_day` integer
);
--> statement-breakpoint
CREATE INDEX `runs_job` ON `runs` (`job`);--> statement-breakpoint
ALTER TABLE `crawls` ADD `run_id` integer;