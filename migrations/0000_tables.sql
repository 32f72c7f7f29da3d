CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`limit` integer NOT NULL,
	`window_ms` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE TABLE `communities` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`name` text,
	`description` text,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `communities_rest_id_unique` ON `communities` (`rest_id`);--> statement-breakpoint
CREATE TABLE `community_tweets` (
	`community_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`first_seen` integer NOT NULL,
	PRIMARY KEY(`community_id`, `tweet_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `coverage` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`crawl_id` integer NOT NULL,
	`newest_id` text,
	`newest_at` integer,
	`oldest_id` text,
	`oldest_at` integer,
	`pages` integer NOT NULL,
	`items` integer NOT NULL,
	`bottom` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `coverage_crawl_id_unique` ON `coverage` (`crawl_id`);--> statement-breakpoint
CREATE INDEX `coverage_target` ON `coverage` (`kind`,`target`);--> statement-breakpoint
CREATE TABLE `crawl_family` (
	`root_id` integer NOT NULL,
	`crawl_id` integer NOT NULL,
	PRIMARY KEY(`root_id`, `crawl_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `crawls` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`options` text NOT NULL,
	`class` text NOT NULL,
	`parent_id` integer,
	`root_id` integer,
	`state` text NOT NULL,
	`reason` text,
	`ending` text,
	`error` text,
	`target_id` text,
	`cursor` text,
	`guard` text,
	`pages` integer DEFAULT 0 NOT NULL,
	`items` integer DEFAULT 0 NOT NULL,
	`new_items` integer DEFAULT 0 NOT NULL,
	`rejected` integer DEFAULT 0 NOT NULL,
	`requests` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`lease` integer DEFAULT 0 NOT NULL,
	`claimed_by` text,
	`claimed_until` integer,
	`resume_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`updated_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `crawls_target` ON `crawls` (`kind`,`target`);--> statement-breakpoint
CREATE UNIQUE INDEX `crawls_unfinished` ON `crawls` (`kind`,`target`,`options`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `drift` (
	`endpoint` text NOT NULL,
	`field` text NOT NULL,
	`first_seen` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`count` integer NOT NULL,
	`sample` text,
	PRIMARY KEY(`endpoint`, `field`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `endpoint_facts` (
	`endpoint` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `follows` (
	`followee_id` integer NOT NULL,
	`follower_id` integer NOT NULL,
	`first_seen` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`ended` integer,
	PRIMARY KEY(`followee_id`, `follower_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `follows_follower` ON `follows` (`follower_id`,`followee_id`);--> statement-breakpoint
CREATE TABLE `list_tweets` (
	`list_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`first_seen` integer NOT NULL,
	PRIMARY KEY(`list_id`, `tweet_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `lists` (
	`id` integer PRIMARY KEY NOT NULL,
	`rest_id` text NOT NULL,
	`name` text,
	`description` text,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `lists_rest_id_unique` ON `lists` (`rest_id`);--> statement-breakpoint
CREATE TABLE `media` (
	`tweet_id` integer NOT NULL,
	`position` integer NOT NULL,
	`type` text,
	`url` text,
	`width` integer,
	`height` integer,
	PRIMARY KEY(`tweet_id`, `position`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `quota_samples` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`app_limit` integer NOT NULL,
	`remaining` integer NOT NULL,
	`reset_at` integer
);
--> statement-breakpoint
CREATE TABLE `raw_pages` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`parameters` text NOT NULL,
	`status` integer NOT NULL,
	`fetched_at` integer NOT NULL,
	`hash` text NOT NULL,
	`body` blob NOT NULL
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
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `requests` (
	`id` integer PRIMARY KEY NOT NULL,
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`at` integer NOT NULL,
	`status` integer,
	`ms` integer NOT NULL,
	`bytes` integer NOT NULL,
	`error` text
);
--> statement-breakpoint
CREATE INDEX `requests_crawl` ON `requests` (`crawl_id`);--> statement-breakpoint
CREATE TABLE `scheduled_jobs` (
	`name` text PRIMARY KEY NOT NULL,
	`job` text NOT NULL,
	`schedule` text NOT NULL,
	`made_at` integer NOT NULL,
	`slot` integer,
	`ran_at` integer,
	`added` integer,
	`joined` integer,
	`problem` text
);
--> statement-breakpoint
CREATE TABLE `search_hits` (
	`search_id` integer NOT NULL,
	`tweet_id` integer NOT NULL,
	`rank` integer NOT NULL,
	`first_seen` integer NOT NULL,
	`last_seen` integer NOT NULL,
	PRIMARY KEY(`search_id`, `tweet_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `searches` (
	`id` integer PRIMARY KEY NOT NULL,
	`query` text NOT NULL,
	`first_seen` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `searches_query_unique` ON `searches` (`query`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tweet_hashtags` (
	`tweet_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`tag`, `tweet_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tweet_hashtags_tweet` ON `tweet_hashtags` (`tweet_id`);--> statement-breakpoint
CREATE TABLE `tweet_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`tweet_id` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`favorite_count` integer,
	`retweet_count` integer,
	`reply_count` integer,
	`quote_count` integer
);
--> statement-breakpoint
CREATE INDEX `tweet_history_tweet` ON `tweet_history` (`tweet_id`,`changed_at`);--> statement-breakpoint
CREATE TABLE `tweet_links` (
	`tweet_id` integer NOT NULL,
	`url` text NOT NULL,
	PRIMARY KEY(`tweet_id`, `url`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `tweet_mentions` (
	`tweet_id` integer NOT NULL,
	`screen_name` text NOT NULL,
	PRIMARY KEY(`screen_name`, `tweet_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tweet_mentions_tweet` ON `tweet_mentions` (`tweet_id`);--> statement-breakpoint
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
	`in_reply_to_status_id` text,
	`in_reply_to_user_id` text,
	`in_reply_to_screen_name` text,
	`first_seen` integer NOT NULL,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tweets_rest_id_unique` ON `tweets` (`rest_id`);--> statement-breakpoint
CREATE INDEX `tweets_author` ON `tweets` (`author_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tweets_created_at` ON `tweets` (`created_at`);--> statement-breakpoint
CREATE INDEX `tweets_in_reply_to` ON `tweets` (`in_reply_to_status_id`) WHERE in_reply_to_status_id is not null;--> statement-breakpoint
CREATE TABLE `user_history` (
	`id` integer PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`last_seen` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`screen_name` text,
	`name` text,
	`description` text,
	`followers_count` integer,
	`following_count` integer,
	`statuses_count` integer
);
--> statement-breakpoint
CREATE INDEX `user_history_user` ON `user_history` (`user_id`,`changed_at`);--> statement-breakpoint
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
	`first_seen` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`summary_at` integer,
	`profile_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_rest_id_unique` ON `users` (`rest_id`);--> statement-breakpoint
CREATE INDEX `users_screen_name` ON `users` ("screen_name" collate nocase);