CREATE INDEX `crawls_pending` ON `crawls` (`id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `crawls_state` ON `crawls` (`state`,`kind`);--> statement-breakpoint
CREATE INDEX `crawls_paused` ON `crawls` (`updated_at`) WHERE state = 'paused';--> statement-breakpoint
CREATE INDEX `crawls_paused_reason` ON `crawls` (`reason`,`resume_at`) WHERE state = 'paused';--> statement-breakpoint
CREATE INDEX `crawls_claimed` ON `crawls` (`claimed_by`,`claimed_until`) WHERE claimed_by is not null;--> statement-breakpoint
CREATE INDEX `crawls_parent` ON `crawls` (`parent_id`) WHERE parent_id is not null;