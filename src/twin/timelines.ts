import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { tweets } from '../store/schema.ts';
import type { Position } from './cursors.ts';
import { tweetColumns, type TweetRow } from './tweet-columns.ts';

const replyColumns = {
  inReplyToStatusId: tweets.inReplyToStatusId,
  inReplyToUserId: tweets.inReplyToUserId,
  inReplyToScreenName: tweets.inReplyToScreenName,
};

/** A tweet, and what it answers: all null when it is an original. */
export type TimelineRow = TweetRow & Pick<typeof tweets.$inferSelect, keyof typeof replyColumns>;

/** Above every tweet: where a list that is read newest first starts. */
const TOP: Position = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** A tweet whose time is unknown has no place in a list by time: no comparison with null holds, so it is never served. */
const below = sql`(${tweets.createdAt}, ${tweets.id}) < (${sql.placeholder('createdAt')}, ${sql.placeholder('id')})`;

/** Reads of a user's tweets, newest first; of several at the same millisecond the one seen last comes first. */
export function createTimelineReads(db: Db) {
  const pageOf = (condition?: SQL) => {
    const statement = db
      .select({ ...tweetColumns, ...replyColumns })
      .from(tweets)
      .where(and(eq(tweets.authorId, sql.placeholder('authorId')), condition, below))
      .orderBy(desc(tweets.createdAt), desc(tweets.id))
      .limit(sql.placeholder('limit'))
      .prepare();
    return (authorId: number, after: Position = TOP, limit: number): TimelineRow[] => {
      const [createdAt, id] = after;
      return statement.all({ authorId, createdAt, id, limit });
    };
  };
  return { originals: pageOf(isNull(tweets.inReplyToStatusId)), withReplies: pageOf() };
}
