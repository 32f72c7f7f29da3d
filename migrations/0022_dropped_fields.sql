CREATE TABLE `dropped_fields` (
	`crawl_id` integer NOT NULL,
	`endpoint` text NOT NULL,
	`field` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`sample` text NOT NULL,
	PRIMARY KEY(`crawl_id`, `endpoint`, `field`, `reason`)
);
