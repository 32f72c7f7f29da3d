-- Full-text search over tweets: an index beside the table, kept by triggers. Nothing else may write to it.
CREATE VIRTUAL TABLE `tweets_fts` USING fts5(text, content='tweets', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_insert` AFTER INSERT ON `tweets`
BEGIN
  INSERT INTO `tweets_fts` (rowid, text) VALUES (new.id, new.text);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_update` AFTER UPDATE OF text ON `tweets` WHEN old.text is not new.text
BEGIN
  INSERT INTO `tweets_fts` (`tweets_fts`, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO `tweets_fts` (rowid, text) VALUES (new.id, new.text);
END;
--> statement-breakpoint
CREATE TRIGGER `tweets_fts_delete` AFTER DELETE ON `tweets`
BEGIN
  INSERT INTO `tweets_fts` (`tweets_fts`, rowid, text) VALUES ('delete', old.id, old.text);
END;
--> statement-breakpoint
-- History, and only when something changes (law 7): whoever updates the row cannot forget it.
CREATE TRIGGER `user_history_keep` AFTER UPDATE OF screen_name, name, description, followers_count, following_count, statuses_count ON `users`
WHEN (old.screen_name is not null and old.screen_name is not new.screen_name) or (old.name is not null and old.name is not new.name) or (old.description is not null and old.description is not new.description) or (old.followers_count is not null and old.followers_count is not new.followers_count) or (old.following_count is not null and old.following_count is not new.following_count) or (old.statuses_count is not null and old.statuses_count is not new.statuses_count)
BEGIN
  INSERT INTO `user_history` (user_id, last_seen, changed_at, screen_name, name, description, followers_count, following_count, statuses_count)
  VALUES (old.id, old.seen_at, new.seen_at,
    case when old.screen_name is not new.screen_name then old.screen_name end,
    case when old.name is not new.name then old.name end,
    case when old.description is not new.description then old.description end,
    case when old.followers_count is not new.followers_count then old.followers_count end,
    case when old.following_count is not new.following_count then old.following_count end,
    case when old.statuses_count is not new.statuses_count then old.statuses_count end);
END;
--> statement-breakpoint
CREATE TRIGGER `tweet_history_keep` AFTER UPDATE OF favorite_count, retweet_count, reply_count, quote_count ON `tweets`
WHEN (old.favorite_count is not null and old.favorite_count is not new.favorite_count) or (old.retweet_count is not null and old.retweet_count is not new.retweet_count) or (old.reply_count is not null and old.reply_count is not new.reply_count) or (old.quote_count is not null and old.quote_count is not new.quote_count)
BEGIN
  INSERT INTO `tweet_history` (tweet_id, last_seen, changed_at, favorite_count, retweet_count, reply_count, quote_count)
  VALUES (old.id, old.seen_at, new.seen_at,
    case when old.favorite_count is not new.favorite_count then old.favorite_count end,
    case when old.retweet_count is not new.retweet_count then old.retweet_count end,
    case when old.reply_count is not new.reply_count then old.reply_count end,
    case when old.quote_count is not new.quote_count then old.quote_count end);
END;
