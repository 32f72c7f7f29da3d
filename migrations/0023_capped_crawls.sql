ALTER TABLE `complete_lists` ADD `digest` text;
--> statement-breakpoint
-- Crawls of endpoints that document no cursor prove no end, and neither do empty pages: all that was shown is stored, and more may exist.
UPDATE `crawls` SET state = 'capped', ending = CASE WHEN ending = 'served' AND pages = 1 AND items = 0 THEN 'one_page' ELSE ending END
WHERE state = 'complete' AND kind IN ('replies', 'community', 'list', 'search') AND coalesce(reason, '') <> 'no_tweets';
--> statement-breakpoint
UPDATE `crawls` SET state = 'capped' WHERE state = 'complete' AND ending = 'inferred';
--> statement-breakpoint
UPDATE `crawls` SET state = 'capped', ending = 'joined_inferred'
WHERE state = 'complete' AND kind = 'timeline' AND ending = 'joined' AND EXISTS (
  SELECT 1 FROM coverage v WHERE v.kind = 'timeline' AND v.target = coalesce(crawls.target_id, crawls.target) AND v.bottom = 'inferred'
    AND v.oldest_at >= coalesce(crawls.options ->> '$.since', v.oldest_at));
--> statement-breakpoint
UPDATE `crawls` SET state = 'capped', ending = 'one_page'
WHERE state = 'complete' AND kind = 'tweet' AND reason IS NULL AND (ending = 'one_page' OR ending = 'served' AND NOT EXISTS (
  SELECT 1 FROM tweets t WHERE t.rest_id = crawls.target AND t.reply_count = 0));
--> statement-breakpoint
-- What was found closed or cut short left no row in complete_lists; where none could be left yet, the account's count decides.
UPDATE `crawls` SET state = 'capped', reason = CASE WHEN items = 0 THEN 'list_closed' ELSE 'list_cut_short' END
WHERE state = 'complete' AND ending = 'served' AND kind IN ('followers', 'following') AND (
  EXISTS (SELECT 1 FROM steps s WHERE s.crawl_id = crawls.id) AND NOT EXISTS (SELECT 1 FROM complete_lists l WHERE l.crawl_id = crawls.id)
  OR items = 0 AND NOT EXISTS (
    SELECT 1 FROM users u WHERE u.rest_id = crawls.target_id AND CASE crawls.kind WHEN 'followers' THEN u.followers_count ELSE u.following_count END = 0)
  OR EXISTS (
    SELECT 1 FROM users u WHERE u.rest_id = crawls.target_id
      AND CASE crawls.kind WHEN 'followers' THEN u.followers_count ELSE u.following_count END - crawls.items >= 20
      AND 3 * CASE crawls.kind WHEN 'followers' THEN u.followers_count ELSE u.following_count END > 4 * crawls.items)
  AND NOT EXISTS (SELECT 1 FROM complete_lists l WHERE l.crawl_id = crawls.id));
--> statement-breakpoint
-- Whether a list is complete is a matter of its evidence, whichever crawls gave it; what the newest crawl did stands beside it.
DROP VIEW `v_completeness`;
--> statement-breakpoint
CREATE VIEW `v_completeness` AS
WITH latest AS (
  SELECT kind, coalesce(target_id, target) AS list, max(id) AS crawl_id FROM crawls WHERE finished_at IS NOT NULL GROUP BY 1, 2
), ended AS (
  SELECT kind, coalesce(target_id, target) AS list, max(finished_at) AS ended_at, id AS crawl_id, state, reason, coalesce(started_at, created_at) AS started_at
  FROM crawls
  WHERE state IN ('complete', 'capped') AND coalesce(ending, '') <> 'since' AND NOT (ending = 'joined' AND options ->> '$.since' IS NOT NULL)
  GROUP BY 1, 2
), counted AS (
  SELECT l.list, c.*, u.screen_name, u.id AS user_id,
    e.state AS ended_state, e.reason AS ended_reason, e.started_at AS ended_from, e.crawl_id AS ended_by,
    (SELECT count(*) FROM coverage v WHERE v.kind = c.kind AND v.target = l.list) AS intervals,
    (SELECT count(*) FROM gaps g WHERE g.kind = c.kind AND g.target = l.list) AS gaps,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN (SELECT count(*) FROM tweets t WHERE t.author_id = u.id)
      WHEN c.kind = 'followers' THEN (SELECT count(*) FROM follows f WHERE f.followee_id = u.id AND f.ended IS NULL)
      WHEN c.kind = 'following' THEN (SELECT count(*) FROM follows f WHERE f.follower_id = u.id AND f.ended IS NULL)
    END AS stored,
    CASE
      WHEN c.kind IN ('timeline', 'replies') THEN u.statuses_count
      WHEN c.kind = 'followers' THEN u.followers_count
      WHEN c.kind = 'following' THEN u.following_count
    END AS reported
  FROM latest l
  JOIN crawls c ON c.id = l.crawl_id
  LEFT JOIN ended e ON e.kind = l.kind AND e.list = l.list
  LEFT JOIN users u ON u.rest_id = l.list AND c.kind IN ('timeline', 'replies', 'followers', 'following')
), proven AS (
  SELECT *,
    CASE
      WHEN intervals > 0 AND kind = 'timeline' AND intervals = 1 AND gaps = 0 THEN (
        SELECT coalesce((
          SELECT max(w.started_at) FROM crawls w
          WHERE w.kind = 'timeline' AND w.target_id = counted.list AND w.state = 'complete' AND w.ending IN ('served', 'joined')
            AND (w.ending = 'served' OR w.options ->> '$.since' IS NULL)), v.newest_at)
        FROM coverage v WHERE v.kind = 'timeline' AND v.target = list AND v.bottom = 'served')
      WHEN intervals > 0 THEN NULL
      WHEN kind IN ('followers', 'following') THEN (
        SELECT p.started_at FROM complete_lists p WHERE p.crawl_id = ended_by AND ended_state = 'complete')
      WHEN ended_state = 'complete' AND (kind IN ('profile', 'tweet', 'timeline') OR kind = 'replies' AND ended_reason = 'no_tweets') THEN ended_from
    END AS complete_from
  FROM counted
)
SELECT
  kind,
  list AS target_id,
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
  strftime('%Y-%m-%dT%H:%M:%fZ', finished_at / 1000.0, 'unixepoch') AS finished_at
FROM proven;
