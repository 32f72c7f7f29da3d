/** Tables that a rebuild derives from pages. All others are copied; the counters of `crawls` are counted again. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  ...['users', '_user_last_seen', '_user_stale_columns', 'user_history'],
  ...['tweets', '_tweet_stale_columns', 'tweet_history', '_deletion_evidence', 'tweet_replies', 'media'],
  ...['tweet_hashtags', 'tweet_mentions', 'tweet_links'],
  ...['follows', 'follow_history', '_list_snapshots'],
  ...['communities', 'community_tweets', 'lists', 'list_tweets', 'searches', 'search_hits'],
  ...['coverage', 'gaps', '_search_windows', '_drift', '_field_statistics', 'rejects', '_dropped_fields'],
]);
