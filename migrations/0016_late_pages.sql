ALTER TABLE `follow_history` ADD `last_seen_in` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `_list_snapshots_finished` ON `_list_snapshots` (`finished_at`);