-- What the service sends, by day, for people: how many of the items had a field, and what could not be read.
CREATE VIEW `v_fields_per_day` AS
SELECT endpoint, date(day / 1000, 'unixepoch') AS day, field, is_drift, items, filled, round(1.0 * filled / items, 4) AS fill_rate
FROM `fields_by_day`;
--> statement-breakpoint
CREATE VIEW `v_rejects_per_day` AS
SELECT endpoint, date(at / 1000, 'unixepoch') AS day, reason, count(*) AS items, count(resolved_at) AS resolved, min(sample) AS sample
FROM `rejects` GROUP BY 1, 2, 3;
