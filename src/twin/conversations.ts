import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Db } from '../store/database.ts';
import { tweets, users } from '../store/schema.ts';
import { type AuthoredRow, authoredColumns, authorColumns, type AuthorRow } from './tweet-columns.ts';

/** A direct reply, as far as it is shown below the tweet that it answers. */
export type ReplyRow = Pick<typeof tweets.$inferSelect, 'restId' | 'text' | 'createdAt'> & {
  readonly author: AuthorRow;
};

/** Reads of single tweets, and of what answers them. */
export function createConversationReads(db: Db) {
  const restId = sql.placeholder('restId');
  const tweet = db
    .select(authoredColumns)
    .from(tweets)
    .leftJoin(users, eq(users.id, tweets.authorId))
    .where(eq(tweets.restId, restId))
    .prepare();
  // A reply is shown by its author and its time: one that lacks either cannot be.
  const replies = db
    .select({ restId: tweets.restId, text: tweets.text, createdAt: tweets.createdAt, author: authorColumns })
    .from(tweets)
    .innerJoin(users, eq(users.id, tweets.authorId))
    .where(and(eq(tweets.inReplyToStatusId, restId), isNotNull(tweets.createdAt)))
    .orderBy(asc(tweets.createdAt), asc(tweets.id))
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    tweet: (id: string): AuthoredRow | undefined => tweet.get({ restId: id }),
    /** Direct replies, oldest first. */
    replies: (id: string, limit: number): ReplyRow[] => replies.all({ restId: id, limit }),
  };
}
