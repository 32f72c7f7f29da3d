import { eq, inArray, sql } from 'drizzle-orm';
import type { TextRange } from '#base/search-text.ts';
import { tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createHighlighter } from './highlight.ts';
import type { SearchBounds } from './indexed-conditions.ts';
import type { HiddenState, Ranking, RankingOptions } from './ranking.ts';
import { checkQueryLength, parseFind } from './search-query.ts';
import { createTweetSearch, type TWEET_ORDERS } from './tweet-search-sql.ts';

/** A found tweet, with the parts of its text that match. Times are milliseconds UTC. */
export type TweetResult = ReturnType<typeof readTweets>[number] & {
  readonly state: HiddenState | null;
  readonly highlights: readonly TextRange[];
};

export interface TweetResults extends Ranking {
  /** Best first. */
  readonly results: readonly TweetResult[];
}

export interface FindTweetsOptions extends RankingOptions<keyof typeof TWEET_ORDERS> {
  readonly bounds?: SearchBounds | undefined;
}

/** Ranks the tweets that match a search (`docs/find.md`). @throws SearchError for one that is too long */
export function rankTweets(db: Db, query: string, { bounds, ...options }: FindTweetsOptions): Ranking {
  checkQueryLength(query);
  return createTweetSearch(db, bounds).rank(parseFind(query, { isForUsers: false }), options);
}

/** `rankTweets`, with the tweets and what matches in them. */
export function findTweets(db: Db, query: string, options: FindTweetsOptions): TweetResults {
  const ranking = rankTweets(db, query, options);
  const highlight = createHighlighter(parseFind(query, { isForUsers: false }));
  const found = new Map(readTweets(db, ranking.ids).map((tweet) => [tweet.id, tweet]));
  const results = ranking.ids
    .flatMap((id) => found.get(id) ?? [])
    .map((tweet) => ({ ...tweet, state: ranking.states.get(tweet.id) ?? null, highlights: highlight(tweet.text) }));
  return { ...ranking, results };
}

const readTweets = (db: Db, ids: readonly number[]) =>
  db
    .select({
      id: tweets.id,
      restId: tweets.restId,
      text: tweets.text,
      createdAt: tweets.createdAt,
      favoriteCount: tweets.favoriteCount,
      retweetCount: tweets.retweetCount,
      replyCount: tweets.replyCount,
      quoteCount: tweets.quoteCount,
      author: { restId: users.restId, screenName: users.screenName, name: users.name },
    })
    .from(tweets)
    .leftJoin(users, eq(users.id, tweets.authorId))
    .where(inArray(tweets.id, sql`(select value from json_each(${JSON.stringify(ids)}))`))
    .all();
