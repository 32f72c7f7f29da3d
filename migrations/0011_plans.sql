ALTER TABLE `crawls` ADD `last_items` integer;--> statement-breakpoint
ALTER TABLE `crawls` ADD `planned_least` integer;--> statement-breakpoint
ALTER TABLE `crawls` ADD `planned` integer;--> statement-breakpoint
ALTER TABLE `crawls` ADD `planned_most` integer;