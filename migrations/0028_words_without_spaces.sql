-- Scripts without spaces between words: FTS5 takes a whole run of them for one word. So the full-text tables get a column with
-- each of their characters, and each two that stand side by side, as words: 東京都 is 東 京 都 and 東京 京都. A run ends with U+E000, so
-- that phrases do not reach into the next one. All of it is SQL: whoever writes, in whatever shell, keeps the index right.
-- What can be told cheaply is asked first: whether all is ASCII, then whether there is any such character.
DROP TRIGGER `tweets_fts_insert`;
--> statement-breakpoint
DROP TRIGGER `tweets_fts_update`;
--> statement-breakpoint
DROP TRIGGER `tweets_fts_delete`;
--> statement-breakpoint
DROP TRIGGER `users_fts_catch_up`;
--> statement-breakpoint
DROP TRIGGER `users_fts_update`;
--> statement-breakpoint
DROP TRIGGER `users_fts_delete`;
--> statement-breakpoint
DROP TABLE `tweets_fts`;
--> statement-breakpoint
DROP TABLE `users_fts`;
--> statement-breakpoint
CREATE VIEW `_tweets_fts_source` AS
SELECT id, text,
  -- Blocks of 256 characters: to reach a character, SQLite walks through all before it.
  CASE WHEN length(CAST(text AS BLOB)) > length(text) + 1 AND (text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(text AS BLOB), x'EF') AND text GLOB '*[ｦ-ￜ]*' OR instr(CAST(text AS BLOB), x'F0') AND text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (
    WITH RECURSIVE c (before, here, next, i, start, part) AS (
      SELECT NULL, NULL, substr(text, 1, 1), 1, 1, substr(text, 1, 256)
      UNION ALL
      SELECT here,
        CASE WHEN next >= 'ก' AND (next BETWEEN 'ぁ' AND 'ヺ' OR next BETWEEN '一' AND '鿿' OR next BETWEEN 'ー' AND 'ヿ' OR next BETWEEN '가' AND '힣' OR next BETWEEN '々' AND '〇' OR next BETWEEN 'ก' AND 'ฺ' OR next BETWEEN 'เ' AND '๎' OR next BETWEEN '๐' AND '๙' OR next BETWEEN 'ກ' AND 'ໟ' OR next BETWEEN 'က' AND '႞' OR next BETWEEN 'ក' AND '៓' OR next BETWEEN 'ៗ' AND '᧚' OR next BETWEEN 'ᄀ' AND 'ᇿ' OR next BETWEEN 'ᨠ' AND '᪙' OR next BETWEEN 'ᬀ' AND 'ᭌ' OR next BETWEEN '〡' AND '〯' OR next BETWEEN '〱' AND '〵' OR next BETWEEN 'ㄅ' AND 'ㆎ' OR next BETWEEN 'ㆠ' AND 'ㆿ' OR next BETWEEN 'ㇰ' AND 'ㇿ' OR next BETWEEN '㐀' AND '䶿' OR next BETWEEN 'ꀀ' AND 'ꒌ' OR next BETWEEN 'ꥠ' AND '꧀' OR next BETWEEN 'ꧏ' AND 'ꫝ' OR next BETWEEN 'ힰ' AND 'ퟻ' OR next BETWEEN '豈' AND '龎' OR next BETWEEN 'ｦ' AND 'ￜ' OR next BETWEEN '𚿰' AND '𛅧' OR next BETWEEN '𠀀' AND '𿿿') THEN next WHEN here <> char(0xE000) THEN char(0xE000) END,
        CASE WHEN i < 256 THEN substr(part, i + 1, 1) ELSE substr(text, start + 256, 1) END,
        CASE WHEN i < 256 THEN i + 1 ELSE 1 END,
        CASE WHEN i < 256 THEN start ELSE start + 256 END,
        CASE WHEN i < 256 THEN part ELSE substr(text, start + 256, 256) END
      FROM c WHERE next <> ''
    )
    SELECT group_concat(here, ' ') || coalesce(
      ' ' || char(0xE000) || ' ' || group_concat(CASE WHEN before <> char(0xE000) AND here <> char(0xE000) THEN before || here END, ' '), '')
    FROM c
  ) END AS characters
FROM `tweets`;
--> statement-breakpoint
CREATE VIEW `_users_fts_source` AS
SELECT id, screen_name, name, description,
  CASE WHEN length(CAST(said AS BLOB)) > length(said) + 1 AND (said GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(said AS BLOB), x'EF') AND said GLOB '*[ｦ-ￜ]*' OR instr(CAST(said AS BLOB), x'F0') AND said GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (
    WITH RECURSIVE c (before, here, next, i, start, part) AS (
      SELECT NULL, NULL, substr(said, 1, 1), 1, 1, substr(said, 1, 256)
      UNION ALL
      SELECT here,
        CASE WHEN next >= 'ก' AND (next BETWEEN 'ぁ' AND 'ヺ' OR next BETWEEN '一' AND '鿿' OR next BETWEEN 'ー' AND 'ヿ' OR next BETWEEN '가' AND '힣' OR next BETWEEN '々' AND '〇' OR next BETWEEN 'ก' AND 'ฺ' OR next BETWEEN 'เ' AND '๎' OR next BETWEEN '๐' AND '๙' OR next BETWEEN 'ກ' AND 'ໟ' OR next BETWEEN 'က' AND '႞' OR next BETWEEN 'ក' AND '៓' OR next BETWEEN 'ៗ' AND '᧚' OR next BETWEEN 'ᄀ' AND 'ᇿ' OR next BETWEEN 'ᨠ' AND '᪙' OR next BETWEEN 'ᬀ' AND 'ᭌ' OR next BETWEEN '〡' AND '〯' OR next BETWEEN '〱' AND '〵' OR next BETWEEN 'ㄅ' AND 'ㆎ' OR next BETWEEN 'ㆠ' AND 'ㆿ' OR next BETWEEN 'ㇰ' AND 'ㇿ' OR next BETWEEN '㐀' AND '䶿' OR next BETWEEN 'ꀀ' AND 'ꒌ' OR next BETWEEN 'ꥠ' AND '꧀' OR next BETWEEN 'ꧏ' AND 'ꫝ' OR next BETWEEN 'ힰ' AND 'ퟻ' OR next BETWEEN '豈' AND '龎' OR next BETWEEN 'ｦ' AND 'ￜ' OR next BETWEEN '𚿰' AND '𛅧' OR next BETWEEN '𠀀' AND '𿿿') THEN next WHEN here <> char(0xE000) THEN char(0xE000) END,
        CASE WHEN i < 256 THEN substr(part, i + 1, 1) ELSE substr(said, start + 256, 1) END,
        CASE WHEN i < 256 THEN i + 1 ELSE 1 END,
        CASE WHEN i < 256 THEN start ELSE start + 256 END,
        CASE WHEN i < 256 THEN part ELSE substr(said, start + 256, 256) END
      FROM c WHERE next <> ''
    )
    SELECT group_concat(here, ' ') || coalesce(
      ' ' || char(0xE000) || ' ' || group_concat(CASE WHEN before <> char(0xE000) AND here <> char(0xE000) THEN before || here END, ' '), '')
    FROM c
  ) END AS characters
FROM (SELECT id, screen_name, name, description, coalesce(screen_name, '') || char(10) || coalesce(name, '') || char(10) || coalesce(description, '') AS said FROM `users`);
--> statement-breakpoint
CREATE VIRTUAL TABLE `tweets_fts` USING fts5(text, characters, content='_tweets_fts_source', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
CREATE VIRTUAL TABLE `users_fts` USING fts5(screen_name, name, description, characters, content='_users_fts_source', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
INSERT INTO `tweets_fts` (`tweets_fts`) VALUES ('rebuild');
--> statement-breakpoint
INSERT INTO `users_fts` (`users_fts`) VALUES ('rebuild');
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_insert` AFTER INSERT ON `tweets`
BEGIN
  INSERT INTO `tweets_fts` (rowid, text, characters) VALUES (new.id, new.text, CASE WHEN length(CAST(new.text AS BLOB)) > length(new.text) + 1 AND (new.text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(new.text AS BLOB), x'EF') AND new.text GLOB '*[ｦ-ￜ]*' OR instr(CAST(new.text AS BLOB), x'F0') AND new.text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (SELECT characters FROM `_tweets_fts_source` WHERE id = new.id) END);
END;
--> statement-breakpoint
-- The view shows what the row holds: what leaves the index is read from it before the change.
CREATE TRIGGER `tweets_fts_forget` BEFORE UPDATE OF text ON `tweets` WHEN old.text IS NOT new.text
BEGIN
  INSERT INTO `tweets_fts` (`tweets_fts`, rowid, text, characters) VALUES ('delete', old.id, old.text, CASE WHEN length(CAST(old.text AS BLOB)) > length(old.text) + 1 AND (old.text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(old.text AS BLOB), x'EF') AND old.text GLOB '*[ｦ-ￜ]*' OR instr(CAST(old.text AS BLOB), x'F0') AND old.text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (SELECT characters FROM `_tweets_fts_source` WHERE id = old.id) END);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_update` AFTER UPDATE OF text ON `tweets` WHEN old.text IS NOT new.text
BEGIN
  INSERT INTO `tweets_fts` (rowid, text, characters) VALUES (new.id, new.text, CASE WHEN length(CAST(new.text AS BLOB)) > length(new.text) + 1 AND (new.text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(new.text AS BLOB), x'EF') AND new.text GLOB '*[ｦ-ￜ]*' OR instr(CAST(new.text AS BLOB), x'F0') AND new.text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (SELECT characters FROM `_tweets_fts_source` WHERE id = new.id) END);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_delete` BEFORE DELETE ON `tweets`
BEGIN
  INSERT INTO `tweets_fts` (`tweets_fts`, rowid, text, characters) VALUES ('delete', old.id, old.text, CASE WHEN length(CAST(old.text AS BLOB)) > length(old.text) + 1 AND (old.text GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(old.text AS BLOB), x'EF') AND old.text GLOB '*[ｦ-ￜ]*' OR instr(CAST(old.text AS BLOB), x'F0') AND old.text GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (SELECT characters FROM `_tweets_fts_source` WHERE id = old.id) END);
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_catch_up` AFTER UPDATE OF state ON `crawls` WHEN new.state <> 'running'
BEGIN
  INSERT INTO `users_fts` (rowid, screen_name, name, description, characters)
  SELECT id, screen_name, name, description, characters FROM `_users_fts_source` WHERE id > coalesce((SELECT max(id) FROM `users_fts_docsize`), 0);
END;
--> statement-breakpoint
-- In one trigger: without its entry, the user with the highest id would count as not indexed yet. The view shows the new row by then.
CREATE TRIGGER `users_fts_update` AFTER UPDATE OF screen_name, name, description ON `users`
WHEN (old.screen_name IS NOT new.screen_name OR old.name IS NOT new.name OR old.description IS NOT new.description) AND old.id <= (SELECT max(id) FROM `users_fts_docsize`)
BEGIN
  INSERT INTO `users_fts` (`users_fts`, rowid, screen_name, name, description, characters)
  SELECT 'delete', old.id, old.screen_name, old.name, old.description,
  CASE WHEN length(CAST(said AS BLOB)) > length(said) + 1 AND (said GLOB '*[ก-᭿⺀-﫿]*' OR instr(CAST(said AS BLOB), x'EF') AND said GLOB '*[ｦ-ￜ]*' OR instr(CAST(said AS BLOB), x'F0') AND said GLOB '*[𚿰-𛅧𠀀-𿿿]*') THEN (
    WITH RECURSIVE c (before, here, next, i, start, part) AS (
      SELECT NULL, NULL, substr(said, 1, 1), 1, 1, substr(said, 1, 256)
      UNION ALL
      SELECT here,
        CASE WHEN next >= 'ก' AND (next BETWEEN 'ぁ' AND 'ヺ' OR next BETWEEN '一' AND '鿿' OR next BETWEEN 'ー' AND 'ヿ' OR next BETWEEN '가' AND '힣' OR next BETWEEN '々' AND '〇' OR next BETWEEN 'ก' AND 'ฺ' OR next BETWEEN 'เ' AND '๎' OR next BETWEEN '๐' AND '๙' OR next BETWEEN 'ກ' AND 'ໟ' OR next BETWEEN 'က' AND '႞' OR next BETWEEN 'ក' AND '៓' OR next BETWEEN 'ៗ' AND '᧚' OR next BETWEEN 'ᄀ' AND 'ᇿ' OR next BETWEEN 'ᨠ' AND '᪙' OR next BETWEEN 'ᬀ' AND 'ᭌ' OR next BETWEEN '〡' AND '〯' OR next BETWEEN '〱' AND '〵' OR next BETWEEN 'ㄅ' AND 'ㆎ' OR next BETWEEN 'ㆠ' AND 'ㆿ' OR next BETWEEN 'ㇰ' AND 'ㇿ' OR next BETWEEN '㐀' AND '䶿' OR next BETWEEN 'ꀀ' AND 'ꒌ' OR next BETWEEN 'ꥠ' AND '꧀' OR next BETWEEN 'ꧏ' AND 'ꫝ' OR next BETWEEN 'ힰ' AND 'ퟻ' OR next BETWEEN '豈' AND '龎' OR next BETWEEN 'ｦ' AND 'ￜ' OR next BETWEEN '𚿰' AND '𛅧' OR next BETWEEN '𠀀' AND '𿿿') THEN next WHEN here <> char(0xE000) THEN char(0xE000) END,
        CASE WHEN i < 256 THEN substr(part, i + 1, 1) ELSE substr(said, start + 256, 1) END,
        CASE WHEN i < 256 THEN i + 1 ELSE 1 END,
        CASE WHEN i < 256 THEN start ELSE start + 256 END,
        CASE WHEN i < 256 THEN part ELSE substr(said, start + 256, 256) END
      FROM c WHERE next <> ''
    )
    SELECT group_concat(here, ' ') || coalesce(
      ' ' || char(0xE000) || ' ' || group_concat(CASE WHEN before <> char(0xE000) AND here <> char(0xE000) THEN before || here END, ' '), '')
    FROM c
  ) END AS characters
  FROM (SELECT coalesce(old.screen_name, '') || char(10) || coalesce(old.name, '') || char(10) || coalesce(old.description, '') AS said);
  INSERT INTO `users_fts` (rowid, screen_name, name, description, characters)
  SELECT id, screen_name, name, description, characters FROM `_users_fts_source` WHERE id = new.id;
END;
--> statement-breakpoint
CREATE TRIGGER `users_fts_delete` BEFORE DELETE ON `users` WHEN old.id <= (SELECT max(id) FROM `users_fts_docsize`)
BEGIN
  INSERT INTO `users_fts` (`users_fts`, rowid, screen_name, name, description, characters)
  SELECT 'delete', id, screen_name, name, description, characters FROM `_users_fts_source` WHERE id = old.id;
END;
