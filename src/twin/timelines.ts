import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { tweets } from '../store/schema.ts';
import type { Position } from './cursors.ts';
import { below, newestFirst, TOP } from './newest-first.ts';
import { tweetColumns, type TweetRow } from './tweet-columns.ts';

const replyColumns = {
  inReplyToStatusId: tweets.inReplyToStatusId,
  inReplyToUserId: tweets.inReplyToUserId,
  inReplyToScreenName: tweets.inReplyToScreenName,
};

/** A tweet, and what it answers: all null when it is an original. */
export type TimelineRow = TweetRow & Pick<typeof tweets.$inferSelect, keyof typeof replyColumns>;

/** Reads of a user's tweets, newest first; of several at the same millisecond the one seen last comes first. */
export function createTimelineReads(db: Db) {
  const pageOf = (condition?: SQL) => {
    const statement = db
      .select({ ...tweetColumns, ...replyColumns })
      .from(tweets)
      .where(and(eq(tweets.authorId, sql.placeholder('authorId')), condition, below))
      .orderBy(...newestFirst)
      .limit(sql.placeholder('limit'))
      .prepare();
    return (authorId: number, after: Position = TOP, limit: number): TimelineRow[] => {
      const [createdAt, id] = after;
      return statement.all({ authorId, createdAt, id, limit });
    };
  };
  return { originals: pageOf(isNull(tweets.inReplyToStatusId)), withReplies: pageOf() };
}
