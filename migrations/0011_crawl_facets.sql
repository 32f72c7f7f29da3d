DROP INDEX `crawls_state`;--> statement-breakpoint
CREATE INDEX `crawls_state` ON `crawls` (`state`,`kind`,`reason`,`priority`,`run_id`,`ending`);