ALTER TABLE `crawls` ADD `in_flight` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `crawls` ADD `unknown_requests` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `crawls_in_flight` ON `crawls` (`run_id`) WHERE in_flight > 0;--> statement-breakpoint
CREATE INDEX `crawls_unknown_requests` ON `crawls` (`unknown_requests`) WHERE unknown_requests > 0;--> statement-breakpoint
ALTER TABLE `run_days` ADD `unknown` integer DEFAULT 0 NOT NULL;