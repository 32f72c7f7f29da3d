CREATE TABLE `job_accounts` (
	`job` text NOT NULL,
	`handle` text NOT NULL,
	`rest_id` text NOT NULL,
	`bound_at` integer NOT NULL,
	PRIMARY KEY(`job`, `handle`)
);
--> statement-breakpoint
CREATE INDEX `crawls_run` ON `crawls` (`run_id`) WHERE run_id is not null and parent_id is null;
--> statement-breakpoint
-- What jobs have crawled by a handle so far says whom they mean by it: the account of the first crawl that succeeded.
INSERT INTO job_accounts (job, handle, rest_id, bound_at)
SELECT runs.job, crawls.target, crawls.target_id, crawls.finished_at
FROM (
  SELECT min(crawls.id) AS id FROM crawls JOIN runs ON runs.id = crawls.run_id
  WHERE runs.job IN (SELECT name FROM scheduled_jobs) AND crawls.parent_id IS NULL AND crawls.finished_at IS NOT NULL
    AND crawls.state IN ('complete', 'partial') AND crawls.target_id IS NOT NULL AND crawls.target NOT LIKE 'id:%'
    AND crawls.kind IN ('profile', 'timeline', 'replies', 'followers', 'following')
  GROUP BY runs.job, crawls.target
) first
JOIN crawls ON crawls.id = first.id
JOIN runs ON runs.id = crawls.run_id;
