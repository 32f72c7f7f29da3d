-- The writer may index a tweet before it inserts the row.
DROP TRIGGER `tweets_fts_insert`;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_insert` AFTER INSERT ON `tweets`
WHEN NOT EXISTS (SELECT 1 FROM `tweets_fts_docsize` WHERE id = new.id)
BEGIN
  INSERT INTO `tweets_fts` (rowid, text, characters) VALUES (new.id, new.text, CASE WHEN length(CAST(new.text AS BLOB)) > length(new.text) + 1 AND (new.text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(new.text AS BLOB), x'EF') AND new.text GLOB '*[ｦ-ￜ]*' OR instr(CAST(new.text AS BLOB), x'F0') AND new.text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (SELECT characters FROM `_tweets_fts_source` WHERE id = new.id) END);
END;
