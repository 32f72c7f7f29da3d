/** Tables that a rebuild derives from pages. All others are copied; the counters of `crawls` are counted again. */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'users_seen', 'users_behind', 'user_history'],
  ...['tweets', 'tweets_behind', 'tweet_history', 'absences', 'tweet_replies', 'media'],
  ...['tweet_hashtags', 'tweet_mentions', 'tweet_links'],
  ...['follows', 'follow_history', 'complete_lists'],
  ...['communities', 'community_tweets', 'lists', 'list_tweets', 'searches', 'search_hits'],
  ...['coverage', 'gaps', 'searched', 'drift', 'fields_by_day', 'rejects', 'dropped_fields'],
]);
