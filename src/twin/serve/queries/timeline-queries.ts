import { and, eq, type SQL, sql } from 'drizzle-orm';
import { isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { tweets } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { limitPlaceholder } from '#store/sqlite/statement.ts';
import { isBelowPosition, newestFirstOrder, START_OF_LIST } from './newest-first.ts';
import type { PagePosition } from './served-cursors.ts';
import { tweetColumns, type ServedTweet } from './tweet-columns.ts';

/** The tweet and user that a reply answers, as far as known. */
export interface ReplyTarget {
  readonly tweet: string | null;
  readonly user: string | null;
  readonly screenName: string | null;
}

/** A tweet; `replyTarget` is null for an original tweet. */
export type TimelineRow = ServedTweet & { readonly replyTarget: ReplyTarget | null };

// Written as raw SQL, since Drizzle omits table names inside a selected expression.
const hasReplyTarget = sql.raw(
  'coalesce(tweets.in_reply_to_status_rest_id, tweets.in_reply_to_user_rest_id, tweets.in_reply_to_screen_name) is not null',
);
const isNested = sql.raw('exists (select 1 from tweet_replies where reply_id = tweets.id)');
/** Of several tweets above a reply, the newest is its parent. */
const replyTargetColumn = sql`case
    when ${hasReplyTarget} then json_object('tweet', tweets.in_reply_to_status_rest_id,
      'user', tweets.in_reply_to_user_rest_id, 'screenName', tweets.in_reply_to_screen_name)
    else (select json_object('tweet', parent.rest_id, 'user', author.rest_id, 'screenName', author.screen_name)
      from tweet_replies join tweets parent on parent.id = tweet_id left join users author on author.id = parent.author_id
      where reply_id = tweets.id order by parent.created_at desc, parent.id desc limit 1)
  end`.mapWith((json: string) => JSON.parse(json) as ReplyTarget);

/**
 * Prepares the queries of a user's tweets, newest first; of tweets at the same millisecond, the one stored last first.
 */
export function createTimelineQueries(db: Db) {
  const pageOf = (condition?: SQL) => {
    const statement = db
      .select({ ...tweetColumns, replyTarget: replyTargetColumn })
      .from(tweets)
      .where(and(eq(tweets.authorId, sql.placeholder('authorId')), condition, isBelowPosition, isNotDeleted))
      .orderBy(...newestFirstOrder)
      .limit(limitPlaceholder('limit'))
      .prepare();
    return (authorId: number, after: PagePosition = START_OF_LIST, limit: number): TimelineRow[] => {
      const [createdAt, id] = after;
      return statement.all({ authorId, createdAt, id, limit });
    };
  };
  return { originals: pageOf(sql`not (${hasReplyTarget} or ${isNested})`), withReplies: pageOf() };
}
