CREATE TABLE `coverage` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`newest_rest_id` text NOT NULL,
	`newest_at` integer NOT NULL,
	`oldest_rest_id` text NOT NULL,
	`oldest_at` integer NOT NULL,
	`list_end` text,
	`crawl_id` integer NOT NULL,
	`pages` integer NOT NULL,
	`items` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `coverage_list` ON `coverage` (`kind`,`target`,`newest_at`);--> statement-breakpoint
CREATE TABLE `gaps` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`coverage_id` integer,
	`newer_rest_id` text NOT NULL,
	`newer_at` integer NOT NULL,
	`older_rest_id` text,
	`older_at` integer,
	`reason` text NOT NULL,
	`crawl_id` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`coverage_id`) REFERENCES `coverage`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gaps_coverage_id_unique` ON `gaps` (`coverage_id`);--> statement-breakpoint
CREATE INDEX `gaps_list` ON `gaps` (`kind`,`target`,`newer_at`);--> statement-breakpoint
CREATE INDEX `gaps_crawl` ON `gaps` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `pruned_ranges` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`oldest_at` integer,
	`newest_at` integer,
	`items` integer NOT NULL,
	`pruned_at` integer NOT NULL,
	`prune_id` integer NOT NULL,
	FOREIGN KEY (`prune_id`) REFERENCES `_prunes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pruned_ranges_list` ON `pruned_ranges` (`kind`,`target`);--> statement-breakpoint
CREATE TABLE `_prunes` (
	`id` integer PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`job_name` text,
	`is_retention` integer NOT NULL,
	`older_than` integer,
	`removed` text DEFAULT '{}' NOT NULL,
	`body_bytes` integer DEFAULT 0 NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `_prunes_job` ON `_prunes` (`job_name`,`scope`);--> statement-breakpoint
CREATE TABLE `_search_windows` (
	`id` integer PRIMARY KEY NOT NULL,
	`query` text NOT NULL,
	`from_at` integer NOT NULL,
	`to_at` integer NOT NULL,
	`searched_at` integer NOT NULL,
	`crawl_id` integer NOT NULL,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `_search_windows_window` ON `_search_windows` (`query`,`from_at`,`to_at`);--> statement-breakpoint
CREATE TABLE `crawl_sources` (
	`crawl_id` integer NOT NULL,
	`trawl_version` text NOT NULL,
	`service_host` text NOT NULL,
	`key_label` text NOT NULL,
	`first_used_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	PRIMARY KEY(`crawl_id`, `trawl_version`, `service_host`, `key_label`),
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_crawl_tree` (
	`root_id` integer NOT NULL,
	`descendant_id` integer NOT NULL,
	PRIMARY KEY(`root_id`, `descendant_id`),
	FOREIGN KEY (`root_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`descendant_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `crawls` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`options` text NOT NULL,
	`priority` text NOT NULL,
	`parent_id` integer,
	`root_id` integer,
	`state` text NOT NULL,
	`reason` text,
	`ending` text,
	`error` text,
	`target_rest_id` text,
	`cursor` text,
	`checkpoint` text,
	`pages` integer DEFAULT 0 NOT NULL,
	`items` integer DEFAULT 0 NOT NULL,
	`new_items` integer DEFAULT 0 NOT NULL,
	`rejected_items` integer DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`consecutive_failures` integer DEFAULT 0 NOT NULL,
	`lease_token` integer DEFAULT 0 NOT NULL,
	`locked_by` text,
	`lock_expires_at` integer,
	`resume_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`updated_at` integer NOT NULL,
	`finished_at` integer,
	`last_page_items` integer,
	`planned_requests_min` integer,
	`planned_requests_expected` integer,
	`planned_requests_max` integer,
	`run_id` integer,
	`handle` text,
	`in_flight_requests` integer DEFAULT 0 NOT NULL,
	`unknown_requests` integer DEFAULT 0 NOT NULL,
	`changes` integer DEFAULT 0 NOT NULL,
	`target_limit_run_id` integer,
	`erased_items` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`root_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`target_limit_run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `crawls_target` ON `crawls` (`kind`,`target`);--> statement-breakpoint
CREATE INDEX `crawls_in_flight_requests` ON `crawls` (`run_id`) WHERE in_flight_requests > 0;--> statement-breakpoint
CREATE INDEX `crawls_unknown_requests` ON `crawls` (`unknown_requests`) WHERE unknown_requests > 0;--> statement-breakpoint
CREATE INDEX `crawls_run` ON `crawls` (`run_id`) WHERE run_id is not null and parent_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `crawls_unfinished` ON `crawls` (`kind`,`target`,`options`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `crawls_pending` ON `crawls` (`id`) WHERE finished_at is null;--> statement-breakpoint
CREATE INDEX `crawls_state` ON `crawls` (`state`,`kind`,`reason`,`priority`,`run_id`,`ending`);--> statement-breakpoint
CREATE INDEX `crawls_paused` ON `crawls` (`updated_at`) WHERE state = 'paused';--> statement-breakpoint
CREATE INDEX `crawls_paused_reason` ON `crawls` (`reason`,`resume_at`) WHERE state = 'paused';--> statement-breakpoint
CREATE INDEX `crawls_account` ON `crawls` (`target_rest_id`,`kind`) WHERE target_rest_id is not null;--> statement-breakpoint
CREATE INDEX `crawls_no_tweets` ON `crawls` (`target_rest_id`) WHERE reason = 'no_tweets';--> statement-breakpoint
CREATE INDEX `crawls_cut_short` ON `crawls` (`target_rest_id`,`kind`,`started_at`) WHERE reason = 'list_cut_short';--> statement-breakpoint
CREATE INDEX `crawls_unavailable` ON `crawls` (`target`) WHERE reason = 'unavailable';--> statement-breakpoint
CREATE INDEX `crawls_locked_by` ON `crawls` (`locked_by`,`lock_expires_at`) WHERE locked_by is not null;--> statement-breakpoint
CREATE INDEX `crawls_parent` ON `crawls` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE TABLE `_run_targets` (
	`run_id` integer NOT NULL,
	`target` text NOT NULL,
	PRIMARY KEY(`run_id`, `target`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `_run_usage_by_day` (
	`day` text NOT NULL,
	`run_id` integer NOT NULL,
	`requests` integer NOT NULL,
	`unknown_requests` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`day`, `run_id`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `_run_usage_by_day_run` ON `_run_usage_by_day` (`run_id`);--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`job_name` text,
	`created_at` integer NOT NULL,
	`max_requests` integer,
	`max_requests_per_day` integer,
	`target_count` integer DEFAULT 0 NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `runs_job` ON `runs` (`job_name`);--> statement-breakpoint
CREATE TABLE `_erasures` (
	`id` integer PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL,
	`key` text NOT NULL,
	`mentions` text NOT NULL,
	`removed` text DEFAULT '{}' NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE TABLE `_tombstones` (
	`hash` text PRIMARY KEY NOT NULL,
	`erasure_id` integer NOT NULL,
	FOREIGN KEY (`erasure_id`) REFERENCES `_erasures`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_follow_decisions` (
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`crawl_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`cause` text NOT NULL,
	PRIMARY KEY(`followee_id`, `follower_id`, `crawl_id`),
	FOREIGN KEY (`followee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`follower_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `_follow_decisions_finished` ON `_follow_decisions` (`finished_at`);--> statement-breakpoint
CREATE TABLE `follow_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ended_at` integer NOT NULL,
	`last_seen_in` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`followee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`follower_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `follow_history_followee` ON `follow_history` (`followee_id`,`follower_id`);--> statement-breakpoint
CREATE INDEX `follow_history_follower` ON `follow_history` (`follower_id`,`followee_id`);--> statement-breakpoint
CREATE TABLE `follows` (
	`id` integer PRIMARY KEY NOT NULL,
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`ended_at` integer,
	`first_missed_at` integer,
	`last_seen_in` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`followee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`follower_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `follows_follower` ON `follows` (`follower_id`,`followee_id`);--> statement-breakpoint
CREATE INDEX `follows_followee` ON `follows` (`followee_id`);--> statement-breakpoint
CREATE INDEX `follows_missed_followee` ON `follows` (`followee_id`,`follower_id`) WHERE first_missed_at is not null;--> statement-breakpoint
CREATE INDEX `follows_missed_follower` ON `follows` (`follower_id`,`followee_id`) WHERE first_missed_at is not null;--> statement-breakpoint
CREATE TABLE `_list_snapshots` (
	`crawl_id` integer PRIMARY KEY NOT NULL,
	`side` text NOT NULL,
	`user_id` integer NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`item_count` integer NOT NULL,
	`owner_count` integer,
	`missed_count` integer NOT NULL,
	`ended_count` integer NOT NULL,
	`body_digest` text,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `_list_snapshots_user` ON `_list_snapshots` (`user_id`,`side`,`finished_at`);--> statement-breakpoint
CREATE INDEX `_list_snapshots_finished` ON `_list_snapshots` (`finished_at`);--> statement-breakpoint
CREATE TABLE `communities` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`name` text,
	`description` text,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `communities_rest_id_unique` ON `communities` (`rest_id`);--> statement-breakpoint
CREATE TABLE `community_tweets` (
	`community_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	PRIMARY KEY(`community_id`, `tweet_id`),
	FOREIGN KEY (`community_id`) REFERENCES `communities`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `community_tweets_tweet` ON `community_tweets` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `list_tweets` (
	`list_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	PRIMARY KEY(`list_id`, `tweet_id`),
	FOREIGN KEY (`list_id`) REFERENCES `lists`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `list_tweets_tweet` ON `list_tweets` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `lists` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`name` text,
	`description` text,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lists_rest_id_unique` ON `lists` (`rest_id`);--> statement-breakpoint
CREATE TABLE `search_hits` (
	`search_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`rank` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`search_id`, `tweet_id`),
	FOREIGN KEY (`search_id`) REFERENCES `searches`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `search_hits_tweet` ON `search_hits` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `searches` (
	`id` integer PRIMARY KEY NOT NULL,
	`query` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `searches_query_unique` ON `searches` (`query`);--> statement-breakpoint
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
CREATE TABLE `_job_accounts` (
	`job_name` text NOT NULL,
	`handle` text NOT NULL,
	`rest_id` text NOT NULL,
	`bound_at` integer NOT NULL,
	PRIMARY KEY(`job_name`, `handle`)
);
--> statement-breakpoint
CREATE TABLE `_scheduled_jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`definition` text NOT NULL,
	`schedule` text NOT NULL,
	`scheduled_at` integer NOT NULL,
	`last_slot_at` integer,
	`last_run_at` integer,
	`last_run_added` integer,
	`last_run_joined` integer,
	`last_run_error` text
);
--> statement-breakpoint
CREATE TABLE `_dropped_fields` (
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`field` text NOT NULL,
	`reason` text NOT NULL,
	`occurrences` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`sample` text NOT NULL,
	PRIMARY KEY(`crawl_id`, `endpoint`, `field`, `reason`),
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `_raw_page_times` (
	`raw_page_id` integer PRIMARY KEY NOT NULL,
	`oldest_tweet_at` integer
);
--> statement-breakpoint
CREATE INDEX `_raw_page_times_oldest` ON `_raw_page_times` (`oldest_tweet_at`) WHERE oldest_tweet_at is not null;--> statement-breakpoint
CREATE TABLE `raw_pages` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`parameters` text NOT NULL,
	`status` integer NOT NULL,
	`fetched_at` integer NOT NULL,
	`hash` text NOT NULL,
	`body` blob NOT NULL,
	`encoding` text DEFAULT 'deflate' NOT NULL,
	`headers` text,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `raw_pages_crawl` ON `raw_pages` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `rejects` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`raw_page_id` integer,
	`endpoint` text NOT NULL,
	`path` text NOT NULL,
	`reason` text NOT NULL,
	`sample` text NOT NULL,
	`rejected_at` integer NOT NULL,
	`resolved_at` integer,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `rejects_page` ON `rejects` (`raw_page_id`);--> statement-breakpoint
CREATE INDEX `rejects_crawl` ON `rejects` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `requests` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`sent_at` integer NOT NULL,
	`status` integer,
	`duration_ms` integer NOT NULL,
	`response_bytes` integer NOT NULL,
	`error` text,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `requests_crawl` ON `requests` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `_steps` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`committed_at` integer NOT NULL,
	`response_roles` text NOT NULL,
	`first_raw_page_id` integer,
	`last_request_id` integer,
	`outcome` text,
	`withheld` text,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`last_request_id`) REFERENCES `requests`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `_steps_raw_page` ON `_steps` (`first_raw_page_id`) WHERE first_raw_page_id is not null;--> statement-breakpoint
CREATE INDEX `_steps_without_response` ON `_steps` (`crawl_id`) WHERE response_roles = '';--> statement-breakpoint
CREATE TABLE `panel_members` (
	`id` integer PRIMARY KEY NOT NULL,
	`panel_id` integer NOT NULL,
	`rest_id` text NOT NULL,
	`handle` text,
	`note` text,
	`added_at` integer NOT NULL,
	`removed_at` integer,
	FOREIGN KEY (`panel_id`) REFERENCES `panels`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `panel_members_current` ON `panel_members` (`panel_id`,`rest_id`) WHERE removed_at is null;--> statement-breakpoint
CREATE TABLE `panels` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `panels_name_unique` ON `panels` (`name`);--> statement-breakpoint
CREATE TABLE `_drift` (
	`endpoint` text NOT NULL,
	`field` text NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`occurrences` integer NOT NULL,
	`sample` text,
	PRIMARY KEY(`endpoint`, `field`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_endpoint_capabilities` (
	`endpoint` text PRIMARY KEY NOT NULL,
	`cursor_support` text,
	`cursor_seen_at` integer,
	`largest_page_items` integer,
	`largest_page_seen_at` integer
);
--> statement-breakpoint
CREATE TABLE `_endpoint_findings` (
	`endpoint` text NOT NULL,
	`finding` text NOT NULL,
	`account` text NOT NULL,
	`outcome` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`endpoint`, `finding`, `account`)
);
--> statement-breakpoint
CREATE TABLE `_field_statistics` (
	`endpoint` text NOT NULL,
	`day` text NOT NULL,
	`field` text NOT NULL,
	`is_drift` integer NOT NULL,
	`inspected_count` integer NOT NULL,
	`filled_count` integer NOT NULL,
	PRIMARY KEY(`endpoint`, `field`, `is_drift`, `day`)
);
--> statement-breakpoint
CREATE TABLE `_quota_samples` (
	`id` integer PRIMARY KEY NOT NULL,
	`sampled_at` integer NOT NULL,
	`request_limit` integer NOT NULL,
	`remaining` integer NOT NULL,
	`reset_at` integer,
	`key_hash` text
);
--> statement-breakpoint
CREATE TABLE `_search_updates` (
	`relation` text NOT NULL,
	`row_id` integer NOT NULL,
	PRIMARY KEY(`relation`, `row_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `_settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `_merged_crawls` (
	`store_id` integer NOT NULL,
	`number` integer NOT NULL,
	`crawl_id` integer NOT NULL,
	PRIMARY KEY(`store_id`, `number`),
	FOREIGN KEY (`store_id`) REFERENCES `_merged_stores`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `_merged_stores` (
	`id` integer PRIMARY KEY NOT NULL,
	`store` text NOT NULL,
	`entry` integer NOT NULL,
	`recorded_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `_merged_stores_store_unique` ON `_merged_stores` (`store`);--> statement-breakpoint
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
	`shipped_bytes` integer NOT NULL,
	`shipped_digest` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `_ship_targets_address_unique` ON `_ship_targets` (`address`);--> statement-breakpoint
CREATE TABLE `_deletion_evidence` (
	`tweet_id` integer PRIMARY KEY NOT NULL,
	`suspected_at` integer NOT NULL,
	`confirmed_at` integer,
	`crawl_id` integer NOT NULL,
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`crawl_id`) REFERENCES `crawls`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `_deletion_evidence_crawl` ON `_deletion_evidence` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `media` (
	`tweet_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type` text,
	`url` text,
	`width` integer,
	`height` integer,
	PRIMARY KEY(`tweet_id`, `position`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tweet_hashtags` (
	`tweet_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`tag`, `tweet_id`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tweet_hashtags_tweet` ON `tweet_hashtags` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `tweet_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`tweet_id` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`favorite_count` integer,
	`retweet_count` integer,
	`reply_count` integer,
	`quote_count` integer,
	`author_id` integer,
	`text` text,
	`created_at` integer,
	`has_media` integer,
	`in_reply_to_status_rest_id` text,
	`in_reply_to_user_rest_id` text,
	`in_reply_to_screen_name` text,
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tweet_history_tweet` ON `tweet_history` (`tweet_id`,`changed_at`);--> statement-breakpoint
CREATE TABLE `tweet_links` (
	`tweet_id` integer NOT NULL,
	`url` text NOT NULL,
	PRIMARY KEY(`tweet_id`, `url`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tweet_mentions` (
	`tweet_id` integer NOT NULL,
	`screen_name` text NOT NULL,
	PRIMARY KEY(`screen_name`, `tweet_id`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tweet_mentions_tweet` ON `tweet_mentions` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `tweet_replies` (
	`tweet_id` integer NOT NULL,
	`reply_id` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`tweet_id`, `reply_id`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reply_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tweet_replies_reply` ON `tweet_replies` (`reply_id`);--> statement-breakpoint
CREATE TABLE `_tweet_stale_columns` (
	`tweet_id` integer NOT NULL,
	`column_name` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`tweet_id`, `column_name`),
	FOREIGN KEY (`tweet_id`) REFERENCES `tweets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `tweets` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`author_id` integer,
	`text` text,
	`created_at` integer,
	`favorite_count` integer,
	`retweet_count` integer,
	`reply_count` integer,
	`quote_count` integer,
	`has_media` integer,
	`in_reply_to_status_rest_id` text,
	`in_reply_to_user_rest_id` text,
	`in_reply_to_screen_name` text,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`has_stale_columns` integer DEFAULT false NOT NULL,
	`seen_in_lists` integer DEFAULT 0 NOT NULL,
	`has_media_seen_at` integer,
	`in_reply_to_seen_at` integer,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tweets_rest_id_unique` ON `tweets` (`rest_id`);--> statement-breakpoint
CREATE INDEX `tweets_author` ON `tweets` (`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tweets_created_at` ON `tweets` (`created_at`);--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to` ON `tweets` (`in_reply_to_status_rest_id`) WHERE in_reply_to_status_rest_id is not null;--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to_user` ON `tweets` (`in_reply_to_user_rest_id`) WHERE in_reply_to_user_rest_id is not null;--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to_screen_name` ON `tweets` ("in_reply_to_screen_name" collate nocase) WHERE in_reply_to_screen_name is not null;--> statement-breakpoint
CREATE TABLE `user_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`screen_name` text,
	`name` text,
	`description` text,
	`followers_count` integer,
	`following_count` integer,
	`statuses_count` integer,
	`location` text,
	`url` text,
	`type` text,
	`profile_image_url` text,
	`cover_image_url` text,
	`verified` integer,
	`is_blue_verified` integer,
	`can_dm` integer,
	`has_custom_timelines` integer,
	`is_translator` integer,
	`favourites_count` integer,
	`media_count` integer,
	`created_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `user_history_user` ON `user_history` (`user_id`,`changed_at`);--> statement-breakpoint
CREATE INDEX `user_history_screen_name` ON `user_history` ("screen_name" collate nocase) WHERE screen_name is not null;--> statement-breakpoint
CREATE TABLE `_user_last_seen` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`last_seen_at` integer NOT NULL,
	`last_summary_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `_user_stale_columns` (
	`user_id` integer NOT NULL,
	`column_name` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `column_name`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`screen_name` text,
	`name` text,
	`description` text,
	`location` text,
	`url` text,
	`type` text,
	`profile_image_url` text,
	`cover_image_url` text,
	`verified` integer,
	`is_blue_verified` integer,
	`can_dm` integer,
	`has_custom_timelines` integer,
	`is_translator` integer,
	`followers_count` integer,
	`following_count` integer,
	`favourites_count` integer,
	`media_count` integer,
	`statuses_count` integer,
	`created_at` integer,
	`first_seen_at` integer NOT NULL,
	`profile_at` integer,
	`changed_at` integer,
	`has_stale_columns` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_rest_id_unique` ON `users` (`rest_id`);--> statement-breakpoint
CREATE INDEX `users_screen_name` ON `users` ("screen_name" collate nocase);--> statement-breakpoint
CREATE INDEX `users_most_followed` ON `users` (`followers_count`) WHERE followers_count >= 1000;
--> statement-breakpoint
-- By hand: views, triggers and full-text indexes
CREATE VIEW `v_hashtags_per_day` AS
SELECT
  date(t.created_at / 1000.0, 'unixepoch') AS day,
  h.tag,
  count(*) AS tweets,
  count(DISTINCT t.author_id) AS authors
FROM tweet_hashtags h
JOIN tweets t ON t.id = h.tweet_id
GROUP BY h.tag, date(t.created_at / 1000.0, 'unixepoch');
--> statement-breakpoint
CREATE VIEW `v_users` AS
SELECT
  id,
  rest_id,
  screen_name COLLATE NOCASE AS screen_name,
  name,
  description,
  location,
  url,
  type,
  profile_image_url,
  cover_image_url,
  verified,
  is_blue_verified,
  can_dm,
  has_custom_timelines,
  is_translator,
  followers_count,
  following_count,
  favourites_count,
  media_count,
  statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
  CASE WHEN profile_at IS NOT NULL THEN 'profile' WHEN s.last_summary_at IS NOT NULL THEN 'summary' ELSE 'reference' END AS known_by,
  strftime('%Y-%m-%dT%H:%M:%fZ', first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', changed_at / 1000.0, 'unixepoch') AS changed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_summary_at / 1000.0, 'unixepoch') AS last_summary_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', profile_at / 1000.0, 'unixepoch') AS profile_at
FROM users
LEFT JOIN _user_last_seen s ON s.user_id = id;
--> statement-breakpoint
CREATE VIEW `v_follows` AS
SELECT
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_missed_at / 1000.0, 'unixepoch') AS first_missed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended_at / 1000.0, 'unixepoch') AS ended_at
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id;
--> statement-breakpoint
CREATE VIEW `v_current_follows` AS
SELECT
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_missed_at / 1000.0, 'unixepoch') AS first_missed_at
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE f.ended_at IS NULL;
--> statement-breakpoint
-- Why an edge ended: what became of the account that left the list of the other one. The requests are those of
-- `_unavailability_evidence`. A list of followed accounts, which may be cached for a day, is no certain sighting.
CREATE VIEW `v_follow_changes` AS
SELECT
  'came' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', nullif(max(
    coalesce((SELECT started_at FROM _list_snapshots WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1), 0),
    coalesce((SELECT started_at FROM _list_snapshots WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1), 0)), 0) / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen_at / 1000.0, 'unixepoch') AS latest_at,
  NULL AS cause
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE EXISTS (SELECT started_at FROM _list_snapshots WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1) OR EXISTS (SELECT started_at FROM _list_snapshots WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1)
UNION ALL
SELECT
  'came' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', nullif(max(
    coalesce((SELECT started_at FROM _list_snapshots WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1), 0),
    coalesce((SELECT started_at FROM _list_snapshots WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1), 0)), 0) / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.first_seen_at / 1000.0, 'unixepoch') AS latest_at,
  NULL AS cause
FROM follow_history f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
WHERE EXISTS (SELECT started_at FROM _list_snapshots WHERE user_id = f.followee_id AND side = 'followers' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1) OR EXISTS (SELECT started_at FROM _list_snapshots WHERE user_id = f.follower_id AND side = 'following' AND finished_at < f.first_seen_at ORDER BY finished_at DESC LIMIT 1)
UNION ALL
SELECT
  'went' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen_at / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended_at / 1000.0, 'unixepoch') AS latest_at,
  coalesce((
    SELECT d.cause FROM _follow_decisions d
    WHERE d.followee_id = f.followee_id AND d.follower_id = f.follower_id AND d.started_at > f.last_seen_at
    ORDER BY d.started_at LIMIT 1
  ), CASE
    WHEN EXISTS (
      SELECT 1 FROM crawls c JOIN requests q ON q.crawl_id = c.id
      WHERE c.target_rest_id = m.rest_id AND c.reason IN ('unavailable', 'not_found')
        AND q.status = 404 AND q.endpoint IN ('followers', 'following') AND q.sent_at > f.last_seen_at AND q.sent_at <= s.last_seen_at
    ) THEN 'unknown'
    WHEN m.profile_at >= f.ended_at OR s.last_seen_at >= f.ended_at + 86400000 THEN 'unfollowed'
    WHEN s.last_seen_at >= f.ended_at THEN CASE WHEN EXISTS (
      SELECT 1 FROM follows c WHERE c.followee_id = m.id AND c.last_seen_at = s.last_seen_at AND c.last_seen_in = 1
      UNION ALL
      SELECT 1 FROM crawls c
      WHERE c.target_rest_id = m.rest_id AND c.kind = 'following' AND s.last_seen_at BETWEEN c.started_at AND coalesce(c.finished_at, s.last_seen_at)
    ) THEN 'unknown' ELSE 'unfollowed' END
    WHEN EXISTS (
      SELECT 1 FROM crawls c JOIN requests q ON q.crawl_id = c.id
      WHERE c.target_rest_id = m.rest_id AND c.reason IN ('unavailable', 'not_found')
        AND q.status = 404 AND q.endpoint IN ('followers', 'following') AND q.sent_at > max(f.last_seen_at, s.last_seen_at)
    ) THEN 'account gone'
    ELSE 'unknown'
  END) AS cause
FROM follows f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
LEFT JOIN users m ON m.id = CASE
  WHEN EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = f.followee_id AND l.side = 'followers' AND l.finished_at = f.ended_at) THEN f.follower_id
  WHEN EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = f.follower_id AND l.side = 'following' AND l.finished_at = f.ended_at) THEN f.followee_id
END
LEFT JOIN _user_last_seen s ON s.user_id = m.id
WHERE f.ended_at IS NOT NULL
UNION ALL
SELECT
  'went' AS change,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.last_seen_at / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', f.ended_at / 1000.0, 'unixepoch') AS latest_at,
  coalesce((
    SELECT d.cause FROM _follow_decisions d
    WHERE d.followee_id = f.followee_id AND d.follower_id = f.follower_id AND d.started_at > f.last_seen_at
      AND d.finished_at < (SELECT x.last_seen_at FROM follows x WHERE x.followee_id = f.followee_id AND x.follower_id = f.follower_id)
    ORDER BY d.started_at LIMIT 1
  ), CASE
    WHEN EXISTS (
      SELECT 1 FROM crawls c JOIN requests q ON q.crawl_id = c.id
      WHERE c.target_rest_id = m.rest_id AND c.reason IN ('unavailable', 'not_found')
        AND q.status = 404 AND q.endpoint IN ('followers', 'following') AND q.sent_at > f.last_seen_at AND q.sent_at <= s.last_seen_at
    ) THEN 'unknown'
    WHEN m.profile_at >= f.ended_at OR s.last_seen_at >= f.ended_at + 86400000 THEN 'unfollowed'
    WHEN s.last_seen_at >= f.ended_at THEN CASE WHEN EXISTS (
      SELECT 1 FROM follows c WHERE c.followee_id = m.id AND c.last_seen_at = s.last_seen_at AND c.last_seen_in = 1
      UNION ALL
      SELECT 1 FROM crawls c
      WHERE c.target_rest_id = m.rest_id AND c.kind = 'following' AND s.last_seen_at BETWEEN c.started_at AND coalesce(c.finished_at, s.last_seen_at)
    ) THEN 'unknown' ELSE 'unfollowed' END
    WHEN EXISTS (
      SELECT 1 FROM crawls c JOIN requests q ON q.crawl_id = c.id
      WHERE c.target_rest_id = m.rest_id AND c.reason IN ('unavailable', 'not_found')
        AND q.status = 404 AND q.endpoint IN ('followers', 'following') AND q.sent_at > max(f.last_seen_at, s.last_seen_at)
    ) THEN 'account gone'
    ELSE 'unknown'
  END) AS cause
FROM follow_history f
JOIN users r ON r.id = f.follower_id
JOIN users e ON e.id = f.followee_id
LEFT JOIN users m ON m.id = CASE
  WHEN EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = f.followee_id AND l.side = 'followers' AND l.finished_at = f.ended_at) THEN f.follower_id
  WHEN EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = f.follower_id AND l.side = 'following' AND l.finished_at = f.ended_at) THEN f.followee_id
END
LEFT JOIN _user_last_seen s ON s.user_id = m.id
WHERE f.ended_at IS NOT NULL;
--> statement-breakpoint
-- Edges that the latest list lacks, which was cut short: it is no evidence (invariant 7). A list of followed accounts may be
-- cached for a day.
CREATE VIEW `_unfollow_candidates` AS
SELECT 'followers' AS side, c.id AS crawl_id, f.follower_id, f.followee_id, f.follower_id AS member_id, f.last_seen_at, f.last_seen_in, c.finished_at AS missed_at
FROM (SELECT id, target_rest_id, kind, max(started_at) AS started_at, finished_at FROM crawls WHERE reason = 'list_cut_short' AND target_rest_id IS NOT NULL AND kind = 'followers' GROUP BY target_rest_id, kind) c
JOIN users o ON o.rest_id = c.target_rest_id
JOIN follows f ON f.followee_id = o.id
WHERE f.ended_at IS NULL AND f.last_seen_at < c.started_at
  AND NOT EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = o.id AND l.side = c.kind AND l.finished_at >= c.started_at)
UNION ALL
SELECT 'following' AS side, c.id AS crawl_id, f.follower_id, f.followee_id, f.followee_id AS member_id, f.last_seen_at, f.last_seen_in, c.finished_at AS missed_at
FROM (SELECT id, target_rest_id, kind, max(started_at) AS started_at, finished_at FROM crawls WHERE reason = 'list_cut_short' AND target_rest_id IS NOT NULL AND kind = 'following' GROUP BY target_rest_id, kind) c
JOIN users o ON o.rest_id = c.target_rest_id
JOIN follows f ON f.follower_id = o.id
WHERE f.ended_at IS NULL AND f.last_seen_at < c.started_at - CASE f.last_seen_in WHEN 0 THEN 86400000 ELSE 0 END
  AND NOT EXISTS (SELECT 1 FROM _list_snapshots l WHERE l.user_id = o.id AND l.side = c.kind AND l.finished_at >= c.started_at);
--> statement-breakpoint
CREATE VIEW `v_unfollow_candidates` AS
SELECT
  c.side AS kind,
  r.rest_id AS follower_rest_id,
  r.screen_name COLLATE NOCASE AS follower,
  e.rest_id AS followee_rest_id,
  e.screen_name COLLATE NOCASE AS followee,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', c.missed_at / 1000.0, 'unixepoch') AS noticed_at,
  c.crawl_id
FROM _unfollow_candidates c
JOIN users r ON r.id = c.follower_id
JOIN users e ON e.id = c.followee_id;
--> statement-breakpoint
CREATE VIEW `v_coverage` AS
SELECT
  v.kind,
  v.target,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.oldest_at / 1000.0, 'unixepoch') AS oldest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.newest_at / 1000.0, 'unixepoch') AS newest_at,
  v.oldest_rest_id,
  v.newest_rest_id,
  v.list_end,
  v.pages,
  v.items,
  v.crawl_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', v.updated_at / 1000.0, 'unixepoch') AS updated_at
FROM coverage v
LEFT JOIN users u ON u.rest_id = v.target AND v.kind IN ('timeline', 'replies');
--> statement-breakpoint
CREATE VIEW `v_gaps` AS
SELECT
  g.kind,
  g.target,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.older_at / 1000.0, 'unixepoch') AS older_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.newer_at / 1000.0, 'unixepoch') AS newer_at,
  g.older_rest_id,
  g.newer_rest_id,
  g.reason,
  g.crawl_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.updated_at / 1000.0, 'unixepoch') AS updated_at
FROM gaps g
LEFT JOIN users u ON u.rest_id = g.target AND g.kind IN ('timeline', 'replies');
--> statement-breakpoint
CREATE VIEW `v_search_windows` AS
SELECT
  s.query,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.from_at / 1000.0, 'unixepoch') AS from_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.to_at / 1000.0, 'unixepoch') AS to_at,
  EXISTS (SELECT 1 FROM gaps g WHERE g.kind = 'search' AND g.target = s.query AND g.reason = 'saturated'
    AND g.older_at < s.to_at AND g.newer_at > s.from_at) AS is_saturated,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.searched_at / 1000.0, 'unixepoch') AS searched_at,
  s.crawl_id
FROM _search_windows s;
--> statement-breakpoint
CREATE VIEW `v_fields_per_day` AS
SELECT endpoint, day, field, is_drift, inspected_count, filled_count, round(1.0 * filled_count / inspected_count, 4) AS fill_rate
FROM `_field_statistics`;
--> statement-breakpoint
CREATE VIEW `v_rejects_per_day` AS
SELECT endpoint, date(rejected_at / 1000, 'unixepoch') AS day, reason, count(*) AS items, count(resolved_at) AS resolved, min(sample) AS sample
FROM `rejects` GROUP BY 1, 2, 3;
--> statement-breakpoint
CREATE VIEW `v_deleted_tweets` AS
SELECT
  t.id,
  t.rest_id,
  u.rest_id AS author_rest_id,
  u.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  CASE WHEN a.confirmed_at IS NULL THEN 'suspected' ELSE 'deleted' END AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.suspected_at / 1000.0, 'unixepoch') AS suspected_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.confirmed_at / 1000.0, 'unixepoch') AS confirmed_at,
  a.crawl_id
FROM _deletion_evidence a
JOIN tweets t ON t.id = a.tweet_id
LEFT JOIN users u ON u.id = t.author_id
WHERE a.suspected_at > t.last_seen_at;
--> statement-breakpoint
CREATE VIEW `v_handle_periods` AS
SELECT
  h.screen_name COLLATE NOCASE AS screen_name,
  u.rest_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = u.id AND p.screen_name IS NOT NULL AND p.changed_at < h.changed_at), u.first_seen_at) / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_to
FROM user_history h
JOIN users u ON u.id = h.user_id
WHERE h.screen_name IS NOT NULL
UNION ALL
SELECT
  u.screen_name COLLATE NOCASE,
  u.rest_id,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = u.id AND p.screen_name IS NOT NULL), u.first_seen_at) / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', u.known / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', (
    SELECT min(CASE WHEN began > u.known THEN began WHEN last > u.known THEN u.known END)
    FROM (
      SELECT
        coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = o.id AND p.screen_name IS NOT NULL), o.first_seen_at) AS began,
        coalesce((SELECT b.last_seen_at FROM _user_stale_columns b WHERE b.user_id = o.id AND b.column_name = 'screen_name'), (SELECT s.last_seen_at FROM _user_last_seen s WHERE s.user_id = o.id)) AS last
      FROM users o
      WHERE o.screen_name = u.screen_name COLLATE NOCASE AND o.id <> u.id
      UNION ALL
      SELECT
        coalesce((SELECT max(p.changed_at) FROM user_history p WHERE p.user_id = oh.user_id AND p.screen_name IS NOT NULL AND p.changed_at < oh.changed_at), (SELECT o.first_seen_at FROM users o WHERE o.id = oh.user_id)),
        oh.last_seen_at
      FROM user_history oh
      WHERE oh.screen_name = u.screen_name COLLATE NOCASE AND oh.user_id <> u.id
    )
  ) / 1000.0, 'unixepoch')
FROM (
  SELECT
    users.*,
    coalesce((SELECT b.last_seen_at FROM _user_stale_columns b WHERE b.user_id = users.id AND b.column_name = 'screen_name'), (SELECT s.last_seen_at FROM _user_last_seen s WHERE s.user_id = users.id)) AS known
  FROM users
) u
WHERE u.screen_name IS NOT NULL;
--> statement-breakpoint
CREATE VIEW `v_tweets` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  t.created_at AS created_ms,
  t.favorite_count,
  t.retweet_count,
  t.reply_count,
  t.quote_count,
  CASE WHEN coalesce(t.favorite_count, t.retweet_count, t.reply_count, t.quote_count) IS NOT NULL
    THEN coalesce(t.favorite_count, 0) + coalesce(t.retweet_count, 0) + coalesce(t.reply_count, 0) + coalesce(t.quote_count, 0)
  END AS engagement,
  t.has_media,
  (SELECT count(*) FROM media m WHERE m.tweet_id = t.id) AS media_count,
  CASE
    WHEN coalesce(t.in_reply_to_status_rest_id, t.in_reply_to_user_rest_id, t.in_reply_to_screen_name) IS NOT NULL THEN 1
    WHEN EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = t.id) THEN 1
    WHEN t.seen_in_lists <> 0 THEN 0
  END AS is_reply,
  t.in_reply_to_status_rest_id,
  t.in_reply_to_user_rest_id,
  t.in_reply_to_screen_name COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  CASE WHEN d.suspected_at > t.last_seen_at THEN CASE WHEN d.confirmed_at IS NULL THEN 'suspected' ELSE 'deleted' END END AS deletion_state
FROM tweets t
LEFT JOIN _deletion_evidence d ON d.tweet_id = t.id
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
CREATE VIEW `v_replies` AS
SELECT
  r.id,
  r.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch') AS created_at,
  r.in_reply_to_status_rest_id AS parent_rest_id,
  pa.rest_id AS parent_author_rest_id,
  pa.screen_name COLLATE NOCASE AS parent_author,
  p.text AS parent_text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch') AS parent_created_at,
  (r.created_at - p.created_at) / 1000.0 AS latency_seconds
FROM tweets r
JOIN tweets p ON p.rest_id = r.in_reply_to_status_rest_id
JOIN users pa ON pa.id = p.author_id
LEFT JOIN users a ON a.id = r.author_id
WHERE r.in_reply_to_status_rest_id IS NOT NULL AND pa.screen_name IS NOT NULL
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  r.in_reply_to_status_rest_id,
  pa.rest_id,
  pa.screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweets r
JOIN users pa ON pa.rest_id = r.in_reply_to_user_rest_id
LEFT JOIN tweets p ON p.rest_id = r.in_reply_to_status_rest_id
LEFT JOIN users a ON a.id = r.author_id
WHERE r.in_reply_to_user_rest_id IS NOT NULL AND pa.screen_name IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM tweets q JOIN users qa ON qa.id = q.author_id WHERE q.rest_id = r.in_reply_to_status_rest_id AND qa.screen_name IS NOT NULL)
  AND (r.in_reply_to_status_rest_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = r.id))
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  r.in_reply_to_status_rest_id,
  r.in_reply_to_user_rest_id,
  r.in_reply_to_screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweets r
LEFT JOIN tweets p ON p.rest_id = r.in_reply_to_status_rest_id
LEFT JOIN users a ON a.id = r.author_id
WHERE (r.in_reply_to_status_rest_id IS NOT NULL OR r.in_reply_to_user_rest_id IS NOT NULL OR r.in_reply_to_screen_name IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM tweets q JOIN users qa ON qa.id = q.author_id WHERE q.rest_id = r.in_reply_to_status_rest_id AND qa.screen_name IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM users u WHERE u.rest_id = r.in_reply_to_user_rest_id AND u.screen_name IS NOT NULL)
  AND (r.in_reply_to_status_rest_id IS NOT NULL OR NOT EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = r.id))
UNION ALL
SELECT
  r.id,
  r.rest_id,
  a.rest_id,
  a.screen_name COLLATE NOCASE,
  r.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000.0, 'unixepoch'),
  p.rest_id,
  pa.rest_id,
  pa.screen_name COLLATE NOCASE,
  p.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.created_at / 1000.0, 'unixepoch'),
  (r.created_at - p.created_at) / 1000.0
FROM tweet_replies n
JOIN tweets r ON r.id = n.reply_id
JOIN tweets p ON p.id = n.tweet_id
LEFT JOIN users a ON a.id = r.author_id
LEFT JOIN users pa ON pa.id = p.author_id
WHERE r.in_reply_to_status_rest_id IS NULL;
--> statement-breakpoint
CREATE TRIGGER `user_history_names` AFTER UPDATE OF screen_name, name ON `users`
WHEN (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen_at, changed_at, screen_name, name)
  VALUES (old.id, coalesce((SELECT last_seen_at FROM `_user_last_seen` WHERE user_id = old.id), old.first_seen_at), coalesce(new.changed_at, new.first_seen_at),
    case when (old.screen_name is not null and old.screen_name is not new.screen_name) then old.screen_name end,
    case when (old.name is not null and old.name is not new.name) then old.name end);
END;
--> statement-breakpoint
CREATE TRIGGER `user_history_summary` AFTER UPDATE OF followers_count, following_count, description, profile_image_url ON `users`
WHEN (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count) or (old.description is not null and old.description is not new.description) or ((old.profile_image_url is not null and old.profile_image_url is not new.profile_image_url) and (old.profile_at is not null or (SELECT last_summary_at FROM `_user_last_seen` WHERE user_id = old.id) is not null))
BEGIN
  INSERT INTO `user_history` (user_id, last_seen_at, changed_at, followers_count, following_count, description, profile_image_url)
  VALUES (old.id, max(coalesce((SELECT last_summary_at FROM `_user_last_seen` WHERE user_id = old.id), old.first_seen_at), coalesce(old.profile_at, 0)), coalesce(new.changed_at, new.first_seen_at),
    case when (old.followers_count is not null and old.followers_count is not new.followers_count) then old.followers_count end,
    case when (old.following_count is not null and old.following_count is not new.following_count) then old.following_count end,
    case when (old.description is not null and old.description is not new.description) then old.description end,
    case when ((old.profile_image_url is not null and old.profile_image_url is not new.profile_image_url) and (old.profile_at is not null or (SELECT last_summary_at FROM `_user_last_seen` WHERE user_id = old.id) is not null)) then old.profile_image_url end);
END;
--> statement-breakpoint
CREATE TRIGGER `user_history_verified` AFTER UPDATE OF verified ON `users`
WHEN (old.verified is not null and old.verified is not new.verified)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen_at, changed_at, verified)
  VALUES (old.id, coalesce((SELECT last_summary_at FROM `_user_last_seen` WHERE user_id = old.id), old.first_seen_at), coalesce(new.changed_at, new.first_seen_at),
    case when (old.verified is not null and old.verified is not new.verified) then old.verified end);
END;
--> statement-breakpoint
CREATE TRIGGER `user_history_profile` AFTER UPDATE OF location, url, type, cover_image_url, is_blue_verified, can_dm, has_custom_timelines, is_translator, favourites_count, media_count, statuses_count, created_at ON `users`
WHEN (old.location is not null and old.location is not new.location) or (old.url is not null and old.url is not new.url) or (old.type is not null and old.type is not new.type) or (old.cover_image_url is not null and old.cover_image_url is not new.cover_image_url) or (old.is_blue_verified is not null and old.is_blue_verified is not new.is_blue_verified) or (old.can_dm is not null and old.can_dm is not new.can_dm) or (old.has_custom_timelines is not null and old.has_custom_timelines is not new.has_custom_timelines) or (old.is_translator is not null and old.is_translator is not new.is_translator) or (old.favourites_count is not null and old.favourites_count is not new.favourites_count) or (old.media_count is not null and old.media_count is not new.media_count) or (old.statuses_count is not null and old.statuses_count is not new.statuses_count) or (old.created_at is not null and old.created_at is not new.created_at)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen_at, changed_at, location, url, type, cover_image_url, is_blue_verified, can_dm, has_custom_timelines, is_translator, favourites_count, media_count, statuses_count, created_at)
  VALUES (old.id, coalesce(old.profile_at, old.first_seen_at), coalesce(new.changed_at, new.first_seen_at),
    case when (old.location is not null and old.location is not new.location) then old.location end,
    case when (old.url is not null and old.url is not new.url) then old.url end,
    case when (old.type is not null and old.type is not new.type) then old.type end,
    case when (old.cover_image_url is not null and old.cover_image_url is not new.cover_image_url) then old.cover_image_url end,
    case when (old.is_blue_verified is not null and old.is_blue_verified is not new.is_blue_verified) then old.is_blue_verified end,
    case when (old.can_dm is not null and old.can_dm is not new.can_dm) then old.can_dm end,
    case when (old.has_custom_timelines is not null and old.has_custom_timelines is not new.has_custom_timelines) then old.has_custom_timelines end,
    case when (old.is_translator is not null and old.is_translator is not new.is_translator) then old.is_translator end,
    case when (old.favourites_count is not null and old.favourites_count is not new.favourites_count) then old.favourites_count end,
    case when (old.media_count is not null and old.media_count is not new.media_count) then old.media_count end,
    case when (old.statuses_count is not null and old.statuses_count is not new.statuses_count) then old.statuses_count end,
    case when (old.created_at is not null and old.created_at is not new.created_at) then old.created_at end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_shown` AFTER UPDATE OF favorite_count, retweet_count, reply_count, quote_count, author_id, text, created_at ON `tweets`
WHEN (old.favorite_count is not null and old.favorite_count is not new.favorite_count) or (old.retweet_count is not null and old.retweet_count is not new.retweet_count) or (old.reply_count is not null and old.reply_count is not new.reply_count) or (old.quote_count is not null and old.quote_count is not new.quote_count) or (old.author_id is not null and old.author_id is not new.author_id) or (old.text is not null and old.text is not new.text) or (old.created_at is not null and old.created_at is not new.created_at)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen_at, changed_at, favorite_count, retweet_count, reply_count, quote_count, author_id, text, created_at)
  VALUES (old.id, old.last_seen_at, new.last_seen_at,
    case when (old.favorite_count is not null and old.favorite_count is not new.favorite_count) then old.favorite_count end,
    case when (old.retweet_count is not null and old.retweet_count is not new.retweet_count) then old.retweet_count end,
    case when (old.reply_count is not null and old.reply_count is not new.reply_count) then old.reply_count end,
    case when (old.quote_count is not null and old.quote_count is not new.quote_count) then old.quote_count end,
    case when (old.author_id is not null and old.author_id is not new.author_id) then old.author_id end,
    case when (old.text is not null and old.text is not new.text) then old.text end,
    case when (old.created_at is not null and old.created_at is not new.created_at) then old.created_at end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_media` AFTER UPDATE OF has_media ON `tweets`
WHEN (old.has_media is not null and old.has_media is not new.has_media)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen_at, changed_at, has_media)
  VALUES (old.id, coalesce(old.has_media_seen_at, old.first_seen_at), coalesce(new.has_media_seen_at, new.last_seen_at),
    case when (old.has_media is not null and old.has_media is not new.has_media) then old.has_media end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_in_reply_to` AFTER UPDATE OF in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name ON `tweets`
WHEN (old.in_reply_to_status_rest_id is not null and old.in_reply_to_status_rest_id is not new.in_reply_to_status_rest_id) or (old.in_reply_to_user_rest_id is not null and old.in_reply_to_user_rest_id is not new.in_reply_to_user_rest_id) or (old.in_reply_to_screen_name is not null and old.in_reply_to_screen_name is not new.in_reply_to_screen_name)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen_at, changed_at, in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name)
  VALUES (old.id, coalesce(old.in_reply_to_seen_at, old.first_seen_at), coalesce(new.in_reply_to_seen_at, new.last_seen_at),
    case when (old.in_reply_to_status_rest_id is not null and old.in_reply_to_status_rest_id is not new.in_reply_to_status_rest_id) then old.in_reply_to_status_rest_id end,
    case when (old.in_reply_to_user_rest_id is not null and old.in_reply_to_user_rest_id is not new.in_reply_to_user_rest_id) then old.in_reply_to_user_rest_id end,
    case when (old.in_reply_to_screen_name is not null and old.in_reply_to_screen_name is not new.in_reply_to_screen_name) then old.in_reply_to_screen_name end);
END;
--> statement-breakpoint
CREATE VIEW `v_user_versions` AS
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) COLLATE NOCASE AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT location FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.location IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.location) AS location,
  coalesce((SELECT url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.url) AS url,
  coalesce((SELECT type FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.type IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.type) AS type,
  coalesce((SELECT profile_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.profile_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.profile_image_url) AS profile_image_url,
  coalesce((SELECT cover_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.cover_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.cover_image_url) AS cover_image_url,
  coalesce((SELECT verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.verified) AS verified,
  coalesce((SELECT is_blue_verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.is_blue_verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_blue_verified) AS is_blue_verified,
  coalesce((SELECT can_dm FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.can_dm IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.can_dm) AS can_dm,
  coalesce((SELECT has_custom_timelines FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.has_custom_timelines IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.has_custom_timelines) AS has_custom_timelines,
  coalesce((SELECT is_translator FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.is_translator IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_translator) AS is_translator,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT favourites_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.favourites_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.favourites_count) AS favourites_count,
  coalesce((SELECT media_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.media_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.media_count) AS media_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM user_history v WHERE v.user_id = u.id AND v.changed_at > u.first_seen_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.created_at) / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.first_seen_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > u.first_seen_at) / 1000.0, 'unixepoch') AS valid_to
FROM users u
UNION ALL
SELECT
  u.id,
  u.rest_id,
  coalesce((SELECT screen_name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.screen_name) COLLATE NOCASE AS screen_name,
  coalesce((SELECT name FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.name IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.name) AS name,
  coalesce((SELECT description FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.description IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.description) AS description,
  coalesce((SELECT location FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.location IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.location) AS location,
  coalesce((SELECT url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.url) AS url,
  coalesce((SELECT type FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.type IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.type) AS type,
  coalesce((SELECT profile_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.profile_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.profile_image_url) AS profile_image_url,
  coalesce((SELECT cover_image_url FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.cover_image_url IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.cover_image_url) AS cover_image_url,
  coalesce((SELECT verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.verified) AS verified,
  coalesce((SELECT is_blue_verified FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.is_blue_verified IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_blue_verified) AS is_blue_verified,
  coalesce((SELECT can_dm FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.can_dm IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.can_dm) AS can_dm,
  coalesce((SELECT has_custom_timelines FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.has_custom_timelines IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.has_custom_timelines) AS has_custom_timelines,
  coalesce((SELECT is_translator FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.is_translator IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.is_translator) AS is_translator,
  coalesce((SELECT followers_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.followers_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.followers_count) AS followers_count,
  coalesce((SELECT following_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.following_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.following_count) AS following_count,
  coalesce((SELECT favourites_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.favourites_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.favourites_count) AS favourites_count,
  coalesce((SELECT media_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.media_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.media_count) AS media_count,
  coalesce((SELECT statuses_count FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.statuses_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.statuses_count) AS statuses_count,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM user_history v WHERE v.user_id = u.id AND v.changed_at > h.changed_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), u.created_at) / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM user_history n WHERE n.user_id = u.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM user_history h JOIN users u ON u.id = h.user_id
WHERE h.changed_at > u.first_seen_at AND NOT EXISTS (SELECT 1 FROM user_history d WHERE d.user_id = h.user_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
CREATE VIEW `v_tweet_versions` AS
SELECT
  t.id,
  t.rest_id,
  (SELECT a.rest_id FROM users a WHERE a.id = coalesce((SELECT author_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.author_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.author_id)) AS author_rest_id,
  coalesce((SELECT text FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.text IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.text) AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.created_at) / 1000.0, 'unixepoch') AS created_at,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  coalesce((SELECT has_media FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.has_media IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.has_media) AS has_media,
  coalesce((SELECT in_reply_to_status_rest_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.in_reply_to_status_rest_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_status_rest_id) AS in_reply_to_status_rest_id,
  coalesce((SELECT in_reply_to_user_rest_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.in_reply_to_user_rest_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_user_rest_id) AS in_reply_to_user_rest_id,
  coalesce((SELECT in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > t.first_seen_at AND v.in_reply_to_screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_screen_name) COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > t.first_seen_at) / 1000.0, 'unixepoch') AS valid_to
FROM tweets t
UNION ALL
SELECT
  t.id,
  t.rest_id,
  (SELECT a.rest_id FROM users a WHERE a.id = coalesce((SELECT author_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.author_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.author_id)) AS author_rest_id,
  coalesce((SELECT text FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.text IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.text) AS text,
  strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT created_at FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.created_at IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.created_at) / 1000.0, 'unixepoch') AS created_at,
  coalesce((SELECT favorite_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.favorite_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.favorite_count) AS favorite_count,
  coalesce((SELECT retweet_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.retweet_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.retweet_count) AS retweet_count,
  coalesce((SELECT reply_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.reply_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.reply_count) AS reply_count,
  coalesce((SELECT quote_count FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.quote_count IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.quote_count) AS quote_count,
  coalesce((SELECT has_media FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.has_media IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.has_media) AS has_media,
  coalesce((SELECT in_reply_to_status_rest_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_status_rest_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_status_rest_id) AS in_reply_to_status_rest_id,
  coalesce((SELECT in_reply_to_user_rest_id FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_user_rest_id IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_user_rest_id) AS in_reply_to_user_rest_id,
  coalesce((SELECT in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = t.id AND v.changed_at > h.changed_at AND v.in_reply_to_screen_name IS NOT NULL ORDER BY v.changed_at LIMIT 1), t.in_reply_to_screen_name) COLLATE NOCASE AS in_reply_to_screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS valid_from,
  strftime('%Y-%m-%dT%H:%M:%fZ', (SELECT min(n.changed_at) FROM tweet_history n WHERE n.tweet_id = t.id AND n.changed_at > h.changed_at) / 1000.0, 'unixepoch') AS valid_to
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id
WHERE h.changed_at > t.first_seen_at AND NOT EXISTS (SELECT 1 FROM tweet_history d WHERE d.tweet_id = h.tweet_id AND d.changed_at = h.changed_at AND d.id < h.id);
--> statement-breakpoint
CREATE VIEW `v_user_changes` AS
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE AS screen_name, 'screen_name' AS field, h.screen_name AS old_value, coalesce((SELECT v.screen_name FROM user_history v WHERE v.user_id = h.user_id AND v.screen_name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.screen_name) AS new_value, strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at, strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS changed_at
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.screen_name IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'name', h.name, coalesce((SELECT v.name FROM user_history v WHERE v.user_id = h.user_id AND v.name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.name), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.name IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'description', h.description, coalesce((SELECT v.description FROM user_history v WHERE v.user_id = h.user_id AND v.description IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.description), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.description IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'location', h.location, coalesce((SELECT v.location FROM user_history v WHERE v.user_id = h.user_id AND v.location IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.location), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.location IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'url', h.url, coalesce((SELECT v.url FROM user_history v WHERE v.user_id = h.user_id AND v.url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'type', h.type, coalesce((SELECT v.type FROM user_history v WHERE v.user_id = h.user_id AND v.type IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.type), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.type IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'profile_image_url', h.profile_image_url, coalesce((SELECT v.profile_image_url FROM user_history v WHERE v.user_id = h.user_id AND v.profile_image_url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.profile_image_url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.profile_image_url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'cover_image_url', h.cover_image_url, coalesce((SELECT v.cover_image_url FROM user_history v WHERE v.user_id = h.user_id AND v.cover_image_url IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.cover_image_url), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.cover_image_url IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'verified', h.verified, coalesce((SELECT v.verified FROM user_history v WHERE v.user_id = h.user_id AND v.verified IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.verified), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.verified IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'is_blue_verified', h.is_blue_verified, coalesce((SELECT v.is_blue_verified FROM user_history v WHERE v.user_id = h.user_id AND v.is_blue_verified IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.is_blue_verified), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.is_blue_verified IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'can_dm', h.can_dm, coalesce((SELECT v.can_dm FROM user_history v WHERE v.user_id = h.user_id AND v.can_dm IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.can_dm), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.can_dm IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'has_custom_timelines', h.has_custom_timelines, coalesce((SELECT v.has_custom_timelines FROM user_history v WHERE v.user_id = h.user_id AND v.has_custom_timelines IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.has_custom_timelines), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.has_custom_timelines IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'is_translator', h.is_translator, coalesce((SELECT v.is_translator FROM user_history v WHERE v.user_id = h.user_id AND v.is_translator IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.is_translator), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.is_translator IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'followers_count', h.followers_count, coalesce((SELECT v.followers_count FROM user_history v WHERE v.user_id = h.user_id AND v.followers_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.followers_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.followers_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'following_count', h.following_count, coalesce((SELECT v.following_count FROM user_history v WHERE v.user_id = h.user_id AND v.following_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.following_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.following_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'favourites_count', h.favourites_count, coalesce((SELECT v.favourites_count FROM user_history v WHERE v.user_id = h.user_id AND v.favourites_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.favourites_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.favourites_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'media_count', h.media_count, coalesce((SELECT v.media_count FROM user_history v WHERE v.user_id = h.user_id AND v.media_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.media_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.media_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'statuses_count', h.statuses_count, coalesce((SELECT v.statuses_count FROM user_history v WHERE v.user_id = h.user_id AND v.statuses_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.statuses_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.statuses_count IS NOT NULL
UNION ALL
SELECT u.id, u.rest_id, u.screen_name COLLATE NOCASE, 'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT v.created_at FROM user_history v WHERE v.user_id = h.user_id AND v.created_at IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), u.created_at) / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM user_history h JOIN users u ON u.id = h.user_id WHERE h.created_at IS NOT NULL;
--> statement-breakpoint
CREATE VIEW `v_tweet_changes` AS
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE AS author, 'author_rest_id' AS field, (SELECT x.rest_id FROM users x WHERE x.id = h.author_id) AS old_value, (SELECT x.rest_id FROM users x WHERE x.id = coalesce((SELECT v.author_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.author_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.author_id)) AS new_value, strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at, strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch') AS changed_at
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.author_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'text', h.text, coalesce((SELECT v.text FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.text IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.text), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.text IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'created_at', strftime('%Y-%m-%dT%H:%M:%fZ', h.created_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', coalesce((SELECT v.created_at FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.created_at IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.created_at) / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.created_at IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'favorite_count', h.favorite_count, coalesce((SELECT v.favorite_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.favorite_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.favorite_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.favorite_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'retweet_count', h.retweet_count, coalesce((SELECT v.retweet_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.retweet_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.retweet_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.retweet_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'reply_count', h.reply_count, coalesce((SELECT v.reply_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.reply_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.reply_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.reply_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'quote_count', h.quote_count, coalesce((SELECT v.quote_count FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.quote_count IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.quote_count), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.quote_count IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'has_media', h.has_media, coalesce((SELECT v.has_media FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.has_media IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.has_media), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.has_media IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_status_rest_id', h.in_reply_to_status_rest_id, coalesce((SELECT v.in_reply_to_status_rest_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_status_rest_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_status_rest_id), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_status_rest_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_user_rest_id', h.in_reply_to_user_rest_id, coalesce((SELECT v.in_reply_to_user_rest_id FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_user_rest_id IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_user_rest_id), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_user_rest_id IS NOT NULL
UNION ALL
SELECT t.id, t.rest_id, a.screen_name COLLATE NOCASE, 'in_reply_to_screen_name', h.in_reply_to_screen_name, coalesce((SELECT v.in_reply_to_screen_name FROM tweet_history v WHERE v.tweet_id = h.tweet_id AND v.in_reply_to_screen_name IS NOT NULL AND (v.changed_at, v.id) > (h.changed_at, h.id) ORDER BY v.changed_at, v.id LIMIT 1), t.in_reply_to_screen_name), strftime('%Y-%m-%dT%H:%M:%fZ', h.last_seen_at / 1000.0, 'unixepoch'), strftime('%Y-%m-%dT%H:%M:%fZ', h.changed_at / 1000.0, 'unixepoch')
FROM tweet_history h JOIN tweets t ON t.id = h.tweet_id LEFT JOIN users a ON a.id = t.author_id WHERE h.in_reply_to_screen_name IS NOT NULL;
--> statement-breakpoint
CREATE VIEW `v_mentions` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  m.screen_name AS mentioned,
  u.rest_id AS mentioned_rest_id,
  u.screen_name COLLATE NOCASE AS mentioned_screen_name,
  u.name AS mentioned_name
FROM tweet_mentions m
JOIN tweets t ON t.id = m.tweet_id
LEFT JOIN users a ON a.id = t.author_id
LEFT JOIN users u ON u.id = (
  SELECT o.id FROM users o LEFT JOIN _user_last_seen s ON s.user_id = o.id
  WHERE o.screen_name = m.screen_name COLLATE NOCASE
  ORDER BY s.last_seen_at DESC, o.id DESC LIMIT 1);
--> statement-breakpoint
CREATE VIRTUAL TABLE `tweets_fts` USING fts5(text, tokenize='unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''');
--> statement-breakpoint
CREATE VIRTUAL TABLE `users_fts` USING fts5(screen_name, name, description, tokenize='unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''');
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_insert` AFTER INSERT ON `tweets`
WHEN NOT EXISTS (SELECT 1 FROM `tweets_fts_docsize` WHERE id = new.id)
BEGIN
  INSERT INTO `tweets_fts` (rowid, text) VALUES (new.id, new.text);
  INSERT OR IGNORE INTO `_search_updates` SELECT 'tweets', new.id WHERE length(CAST(new.text AS BLOB)) > length(new.text);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_update` AFTER UPDATE OF text ON `tweets` WHEN old.text IS NOT new.text
BEGIN
  UPDATE `tweets_fts` SET text = new.text WHERE rowid = new.id;
  INSERT OR IGNORE INTO `_search_updates` VALUES ('tweets', new.id);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_delete` AFTER DELETE ON `tweets`
BEGIN
  DELETE FROM `tweets_fts` WHERE rowid = old.id;
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_update` AFTER UPDATE OF screen_name, name, description ON `users`
WHEN (old.screen_name IS NOT new.screen_name OR old.name IS NOT new.name OR old.description IS NOT new.description) AND new.id <= (SELECT max(id) FROM `users_fts_docsize`)
BEGIN
  UPDATE `users_fts` SET screen_name = new.screen_name, name = new.name, description = new.description WHERE rowid = new.id;
  INSERT OR IGNORE INTO `_search_updates` VALUES ('users', new.id);
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_delete` AFTER DELETE ON `users`
BEGIN
  DELETE FROM `users_fts` WHERE rowid = old.id;
END;
--> statement-breakpoint
CREATE VIEW `v_panel_members` AS
SELECT
  m.id,
  p.name AS panel,
  m.rest_id,
  u.screen_name COLLATE NOCASE AS screen_name,
  m.handle COLLATE NOCASE AS handle,
  m.note,
  strftime('%Y-%m-%dT%H:%M:%fZ', m.added_at / 1000.0, 'unixepoch') AS added_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', m.removed_at / 1000.0, 'unixepoch') AS removed_at,
  CASE
    WHEN a.state IS NOT NULL THEN a.state
    WHEN u.id IS NULL THEN 'unseen'
    WHEN u.screen_name <> m.handle COLLATE NOCASE THEN 'renamed'
  END AS state,
  a.noticed_at
FROM panel_members m
JOIN panels p ON p.id = m.panel_id
LEFT JOIN users u ON u.rest_id = m.rest_id
LEFT JOIN v_unavailable_accounts a ON a.rest_id = m.rest_id;
--> statement-breakpoint
CREATE VIEW `v_links` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  l.url,
  lower(substr(l.rest, 1, min(instr(l.rest || '/', '/'), instr(l.rest || '?', '?'), instr(l.rest || '#', '#'), instr(l.rest || ':', ':')) - 1)) AS host
FROM (
  SELECT tweet_id, url, substr(url, CASE instr(url, '://') WHEN 0 THEN 1 ELSE instr(url, '://') + 3 END) AS rest FROM tweet_links
) l
JOIN tweets t ON t.id = l.tweet_id
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
CREATE VIEW `v_media` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  m.position,
  m.type,
  m.url,
  m.width,
  m.height
FROM media m
JOIN tweets t ON t.id = m.tweet_id
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
CREATE VIEW `v_cohashtags` AS
SELECT
  h.tag,
  o.tag AS other_tag,
  count(*) AS tweets,
  count(DISTINCT t.author_id) AS authors,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(t.created_at) / 1000.0, 'unixepoch') AS earliest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(t.created_at) / 1000.0, 'unixepoch') AS latest_at
FROM tweet_hashtags h
JOIN tweet_hashtags o ON o.tweet_id = h.tweet_id AND o.tag <> h.tag
JOIN tweets t ON t.id = h.tweet_id
GROUP BY h.tag, o.tag;
--> statement-breakpoint
-- The way up from a tweet: by the id of the tweet that it replies to, or by the newest tweet that it was shown below. The limit
-- ends the cycles of faulty data.
CREATE VIEW `v_conversations` AS
SELECT
  t.id,
  t.rest_id,
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  t.text,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.created_at / 1000.0, 'unixepoch') AS created_at,
  coalesce(t.in_reply_to_status_rest_id, (
    SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
    WHERE n.reply_id = t.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
  )) AS parent_rest_id,
  (
    WITH RECURSIVE up (rest_id, depth) AS (
      SELECT t.rest_id, 0
      UNION ALL
      SELECT coalesce(c.in_reply_to_status_rest_id, (
        SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
        WHERE n.reply_id = c.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
      )), up.depth + 1
      FROM up JOIN tweets c ON c.rest_id = up.rest_id
      WHERE up.depth < 1000
        AND (c.in_reply_to_status_rest_id IS NOT NULL OR EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = c.id))
    )
    SELECT up.rest_id FROM up ORDER BY up.depth DESC LIMIT 1
  ) AS root_rest_id,
  (
    WITH RECURSIVE up (rest_id, depth) AS (
      SELECT t.rest_id, 0
      UNION ALL
      SELECT coalesce(c.in_reply_to_status_rest_id, (
        SELECT p.rest_id FROM tweet_replies n JOIN tweets p ON p.id = n.tweet_id
        WHERE n.reply_id = c.id ORDER BY p.created_at DESC, p.id DESC LIMIT 1
      )), up.depth + 1
      FROM up JOIN tweets c ON c.rest_id = up.rest_id
      WHERE up.depth < 1000
        AND (c.in_reply_to_status_rest_id IS NOT NULL OR EXISTS (SELECT 1 FROM tweet_replies n WHERE n.reply_id = c.id))
    )
    SELECT max(up.depth) FROM up
  ) AS depth
FROM tweets t
LEFT JOIN users a ON a.id = t.author_id;
--> statement-breakpoint
-- The first day of the epoch was a Thursday.
CREATE VIEW `v_posting_activity` AS
SELECT
  a.rest_id AS author_rest_id,
  a.screen_name COLLATE NOCASE AS author,
  (t.created_at / 86400000 + 3) % 7 + 1 AS weekday,
  t.created_at / 3600000 % 24 AS hour,
  count(*) AS tweets
FROM tweets t
JOIN users a ON a.id = t.author_id
WHERE t.created_at >= 0
GROUP BY a.rest_id, (t.created_at / 86400000 + 3) % 7 + 1, t.created_at / 3600000 % 24;
--> statement-breakpoint
CREATE VIEW `v_complete_lists` AS
SELECT
  s.side AS kind,
  u.rest_id AS account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.finished_at / 1000.0, 'unixepoch') AS finished_at,
  s.missed_count AS missed,
  s.ended_count AS ended,
  s.crawl_id
FROM _list_snapshots s
JOIN users u ON u.id = s.user_id;
--> statement-breakpoint
CREATE VIEW `v_crawls` AS
SELECT
  id,
  kind,
  target,
  handle,
  target_rest_id,
  options,
  priority,
  parent_id,
  root_id,
  run_id,
  target_limit_run_id,
  state,
  reason,
  ending,
  error,
  pages,
  items,
  last_page_items,
  new_items,
  changes,
  rejected_items,
  erased_items,
  requests,
  1.0 * requests / nullif(new_items, 0) AS requests_per_new_item,
  in_flight_requests,
  unknown_requests,
  planned_requests_min,
  planned_requests_expected,
  planned_requests_max,
  consecutive_failures,
  cursor,
  checkpoint,
  lease_token,
  locked_by,
  (coalesce(finished_at, updated_at) - started_at) / 1000.0 AS seconds,
  strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch') AS created_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', started_at / 1000.0, 'unixepoch') AS started_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch') AS updated_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', resume_at / 1000.0, 'unixepoch') AS resume_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', lock_expires_at / 1000.0, 'unixepoch') AS lock_expires_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at,
  (
    SELECT trawl_version FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS trawl_version,
  (
    SELECT service_host FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS service_host,
  (
    SELECT key_label FROM crawl_sources s WHERE s.crawl_id = crawls.id
    ORDER BY s.last_used_at DESC, s.first_used_at DESC LIMIT 1
  ) AS key_label,
  (SELECT count(*) FROM crawl_sources s WHERE s.crawl_id = crawls.id) AS source_count
FROM crawls;
--> statement-breakpoint
-- Crawls that the service answered with 404 for the id of an account: they failed with `not_found`, or re-checked the account and
-- ended `unavailable`. Both asked followers or following by the id, and the service has no such user (spec, Errors). Requests of
-- user-profile by a handle show nothing: the account may be renamed. The id of a crawl of a handle is in the parameters of the
-- stored response.
CREATE VIEW `_unavailability_evidence` AS
SELECT
  c.id AS crawl_id,
  CASE WHEN c.target GLOB 'id:*' THEN substr(c.target, 4) ELSE coalesce(c.target_rest_id, (
    SELECT p.parameters ->> '$.restId' FROM raw_pages p
    WHERE p.crawl_id = c.id AND p.status = 404 AND p.endpoint IN ('followers', 'following') ORDER BY p.id DESC LIMIT 1
  )) END AS rest_id,
  (
    SELECT max(r.sent_at) FROM requests r
    WHERE r.crawl_id = c.id AND r.status = 404 AND r.endpoint IN ('followers', 'following')
  ) AS noticed_at
FROM (
  SELECT id, target, target_rest_id FROM crawls WHERE state = 'failed' AND reason = 'not_found'
  UNION ALL
  SELECT id, target, target_rest_id FROM crawls WHERE reason = 'unavailable'
) c;
--> statement-breakpoint
CREATE VIEW `v_unavailable_accounts` AS
SELECT
  u.rest_id,
  u.screen_name COLLATE NOCASE AS screen_name,
  'unavailable' AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(e.noticed_at) / 1000.0, 'unixepoch') AS noticed_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  e.crawl_id
FROM _unavailability_evidence e
JOIN users u ON u.rest_id = e.rest_id
LEFT JOIN _user_last_seen s ON s.user_id = u.id
WHERE e.noticed_at > coalesce(s.last_seen_at, 0)
GROUP BY u.id;
--> statement-breakpoint
-- What the service had no longer and showed again later (invariant 7).
CREATE VIEW `v_restored` AS
SELECT
  'tweet' AS type,
  t.rest_id,
  u.rest_id AS account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', a.confirmed_at / 1000.0, 'unixepoch') AS gone_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen_at / 1000.0, 'unixepoch') AS last_seen_at
FROM _deletion_evidence a
JOIN tweets t ON t.id = a.tweet_id
LEFT JOIN users u ON u.id = t.author_id
WHERE a.confirmed_at IS NOT NULL AND a.suspected_at <= t.last_seen_at
UNION ALL
SELECT
  'account',
  u.rest_id,
  u.rest_id,
  u.screen_name,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(e.noticed_at) / 1000.0, 'unixepoch'),
  strftime('%Y-%m-%dT%H:%M:%fZ', s.last_seen_at / 1000.0, 'unixepoch')
FROM _unavailability_evidence e
JOIN users u ON u.rest_id = e.rest_id
JOIN _user_last_seen s ON s.user_id = u.id
WHERE e.noticed_at IS NOT NULL
GROUP BY u.id
HAVING max(e.noticed_at) <= s.last_seen_at;
--> statement-breakpoint
-- Evidence as in coverage, and in the crawls that found nothing newer (invariants 4 and 5). An end that is no evidence counts
-- like the end of a page: down to the item before the last. An empty list of an account that has tweets may be closed.
CREATE VIEW `_observed_intervals` AS
SELECT
  v.kind,
  v.target AS account_rest_id,
  CASE
    WHEN v.list_end IS NULL THEN v.oldest_at
    WHEN v.list_end <> 'served' OR v.kind <> 'timeline' THEN min(v.newest_at, coalesce((
      SELECT t.created_at FROM tweets t
      WHERE t.author_id = (SELECT id FROM users WHERE rest_id = v.target) AND t.created_at > v.oldest_at
        AND t.seen_in_lists & CASE v.kind WHEN 'timeline' THEN 1 ELSE 2 END
      ORDER BY t.created_at LIMIT 1
    ), v.newest_at))
  END AS from_ms,
  CASE
    WHEN EXISTS (SELECT 1 FROM coverage n WHERE n.kind = v.kind AND n.target = v.target AND n.newest_at > v.newest_at) THEN v.newest_at
    ELSE max(v.newest_at, coalesce((
      SELECT max((
        SELECT coalesce(c.started_at, c.created_at) / 1000 * 1000
        FROM crawls c
        WHERE c.kind = v.kind AND c.target = name.target AND c.target_rest_id = v.target
          AND CASE
            WHEN c.items = 0 AND coalesce(
              (SELECT o.statuses_count FROM users o WHERE o.rest_id = v.target),
              EXISTS (SELECT 1 FROM tweets t WHERE t.author_id = (SELECT id FROM users WHERE rest_id = v.target))
            ) > 0 THEN 0
            WHEN c.reason = 'no_tweets' THEN 1
            WHEN c.kind = 'timeline' AND c.state = 'complete' AND c.ending = 'served' THEN 1
            WHEN c.checkpoint ->> '$.skippedDownTo' IS NOT NULL THEN c.rejected_items = 0
            ELSE c.checkpoint ->> '$.scan.isFromTop' AND c.checkpoint ->> '$.scan.oldest.at' IS NOT NULL
              AND max(c.checkpoint ->> '$.scan.newest.at', coalesce(c.checkpoint ->> '$.scan.outlier.at', 0)) <= v.newest_at
          END
        ORDER BY c.id DESC LIMIT 1
      ))
      FROM (
        SELECT 'id:' || v.target AS target
        UNION SELECT lower(o.screen_name) FROM users o WHERE o.rest_id = v.target AND o.screen_name IS NOT NULL
        UNION SELECT lower(h.screen_name) FROM user_history h
          WHERE h.user_id = (SELECT id FROM users WHERE rest_id = v.target) AND h.screen_name IS NOT NULL
      ) name
    ), 0))
  END AS to_ms
FROM coverage v
WHERE v.kind IN ('timeline', 'replies')
UNION ALL
SELECT c.kind, c.target_rest_id, NULL, max(coalesce(c.started_at, c.created_at)) / 1000 * 1000
FROM crawls c
LEFT JOIN users o ON o.rest_id = c.target_rest_id
WHERE c.reason = 'no_tweets' AND c.state = 'complete' AND c.kind IN ('timeline', 'replies') AND c.target_rest_id IS NOT NULL
  AND NOT coalesce(o.statuses_count, EXISTS (SELECT 1 FROM tweets t WHERE t.author_id = o.id)) > 0
  AND NOT EXISTS (SELECT 1 FROM coverage v WHERE v.kind = c.kind AND v.target = c.target_rest_id)
GROUP BY c.kind, c.target_rest_id;
--> statement-breakpoint
-- The times before and after those that were pruned.
CREATE VIEW `v_observed_periods` AS
SELECT
  p.kind,
  p.account_rest_id,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.from_ms / 1000.0, 'unixepoch') AS from_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.to_ms / 1000.0, 'unixepoch') AS to_at,
  p.from_ms,
  p.to_ms
FROM (
  SELECT p.kind, p.account_rest_id, p.from_ms, coalesce(r.oldest_at, p.to_ms) AS to_ms
  FROM `_observed_intervals` p
  LEFT JOIN pruned_ranges r ON r.kind = p.kind AND r.target = p.account_rest_id
    AND r.oldest_at < p.to_ms AND (p.from_ms IS NULL OR r.newest_at > p.from_ms)
  WHERE r.id IS NULL OR p.from_ms IS NULL OR p.from_ms < r.oldest_at
  UNION ALL
  SELECT p.kind, p.account_rest_id, r.newest_at, p.to_ms
  FROM `_observed_intervals` p
  JOIN pruned_ranges r ON r.kind = p.kind AND r.target = p.account_rest_id
    AND r.newest_at < p.to_ms AND (p.from_ms IS NULL OR r.newest_at > p.from_ms)
) p
LEFT JOIN users u ON u.rest_id = p.account_rest_id;
--> statement-breakpoint
CREATE VIEW `v_pruned_ranges` AS
SELECT
  r.kind,
  r.target,
  u.screen_name COLLATE NOCASE AS account,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.oldest_at / 1000.0, 'unixepoch') AS oldest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.newest_at / 1000.0, 'unixepoch') AS newest_at,
  r.items,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.pruned_at / 1000.0, 'unixepoch') AS pruned_at,
  p.scope,
  p.job_name,
  p.is_retention
FROM pruned_ranges r
JOIN `_prunes` p ON p.id = r.prune_id
LEFT JOIN users u ON u.rest_id = r.target AND r.kind IN ('profile', 'timeline', 'replies', 'followers', 'following');
--> statement-breakpoint
CREATE VIEW `v_completeness` AS
WITH ranked AS (
  SELECT kind, coalesce(target_rest_id, target) AS list, id AS crawl_id, state, reason, erased_items,
    coalesce(started_at, created_at) AS started_at,
    CASE
      WHEN state NOT IN ('complete', 'capped') OR ending = 'since' THEN 0
      WHEN ending = 'joined' THEN options ->> '$.since' IS NULL
      ELSE 1
    END AS has_ended,
    row_number() OVER (PARTITION BY kind, coalesce(target_rest_id, target) ORDER BY finished_at DESC, created_at DESC, id DESC) AS place
  FROM crawls
  WHERE finished_at IS NOT NULL
), latest AS (
  SELECT kind, list, crawl_id FROM ranked WHERE place = 1
), ended AS (
  SELECT kind, list, min(place), crawl_id, state, reason, erased_items, started_at FROM ranked WHERE has_ended GROUP BY 1, 2
), read_to_end AS (
  SELECT target_rest_id AS list, max(started_at) AS started_at FROM crawls
  WHERE kind = 'timeline' AND state = 'complete' AND (ending = 'served' OR ending = 'joined' AND options ->> '$.since' IS NULL)
  GROUP BY 1
), counted AS (
  SELECT l.list, c.*, u.screen_name, u.id AS user_id,
    e.state AS ended_state, e.reason AS ended_reason, e.started_at AS ended_from, e.crawl_id AS ended_by, n.started_at AS read_to_end_at,
    max(c.erased_items, coalesce(e.erased_items, 0)) AS erased,
    (SELECT count(*) FROM coverage v WHERE v.kind = c.kind AND v.target = l.list) AS intervals,
    (SELECT count(*) FROM gaps g WHERE g.kind = c.kind AND g.target = l.list) AS gaps,
    p.items AS pruned, p.pruned_at,
    CASE
      WHEN c.kind = 'timeline' THEN (SELECT count(*) FROM tweets t WHERE t.author_id = u.id AND t.seen_in_lists & 1)
      WHEN c.kind = 'replies' THEN (SELECT count(*) FROM tweets t WHERE t.author_id = u.id AND t.seen_in_lists & 2)
      WHEN c.kind = 'followers' THEN (SELECT count(*) FROM follows f WHERE f.followee_id = u.id AND f.ended_at IS NULL)
      WHEN c.kind = 'following' THEN (SELECT count(*) FROM follows f WHERE f.follower_id = u.id AND f.ended_at IS NULL)
    END AS stored,
    CASE
      -- The number of tweets may include replies: a timeline is not compared with it.
      WHEN c.kind = 'replies' THEN u.statuses_count
      WHEN c.kind = 'followers' THEN u.followers_count
      WHEN c.kind = 'following' THEN u.following_count
    END AS reported
  FROM latest l
  JOIN crawls c ON c.id = l.crawl_id
  LEFT JOIN ended e ON e.kind = l.kind AND e.list = l.list
  LEFT JOIN read_to_end n ON n.list = l.list AND c.kind = 'timeline'
  LEFT JOIN pruned_ranges p ON p.kind = l.kind AND p.target = l.list
  LEFT JOIN users u ON u.rest_id = l.list AND c.kind IN ('timeline', 'replies', 'followers', 'following')
), proven AS (
  SELECT *,
    CASE
      WHEN erased > 0 THEN NULL
      WHEN pruned > 0 AND kind NOT IN ('followers', 'following') THEN NULL
      WHEN intervals > 0 AND kind = 'timeline' AND intervals = 1 AND gaps = 0 THEN (
        SELECT coalesce(read_to_end_at, v.newest_at)
        FROM coverage v WHERE v.kind = 'timeline' AND v.target = list AND v.list_end = 'served')
      WHEN intervals > 0 THEN NULL
      WHEN kind = 'timeline' THEN read_to_end_at
      WHEN kind IN ('followers', 'following') THEN (
        SELECT p.started_at FROM _list_snapshots p WHERE p.crawl_id = ended_by AND ended_state = 'complete')
      WHEN ended_state = 'complete' AND (kind IN ('profile', 'tweet') OR kind = 'replies' AND ended_reason = 'no_tweets') THEN ended_from
    END AS complete_from
  FROM counted
)
SELECT
  kind,
  list AS target_rest_id,
  coalesce(screen_name, target) COLLATE NOCASE AS target,
  id AS crawl_id,
  state,
  reason,
  ending,
  complete_from IS NOT NULL AS is_complete,
  strftime('%Y-%m-%dT%H:%M:%fZ', complete_from / 1000.0, 'unixepoch') AS complete_as_of,
  stored,
  reported,
  CASE WHEN reported > 0 THEN 1.0 * stored / reported WHEN reported = 0 AND stored = 0 THEN 1.0 END AS score,
  intervals,
  gaps,
  items,
  new_items,
  requests,
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at,
  erased,
  coalesce(pruned, 0) AS pruned,
  strftime('%Y-%m-%dT%H:%M:%fZ', pruned_at / 1000.0, 'unixepoch') AS pruned_at
FROM proven;
