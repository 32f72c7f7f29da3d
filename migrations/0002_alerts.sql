CREATE TABLE `_alerts` (
	`alert` text NOT NULL,
	`subject` text NOT NULL,
	`is_firing` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`details` text NOT NULL,
	`attempts` integer NOT NULL,
	`next_attempt_at` integer,
	PRIMARY KEY(`alert`, `subject`)
);
--> statement-breakpoint
ALTER TABLE `runs` ADD `error` text;