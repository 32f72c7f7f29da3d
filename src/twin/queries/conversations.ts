import { and, asc, eq, or, sql } from 'drizzle-orm';
import { tweetReplies, tweets, users } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { PagePosition } from './cursors.ts';
import { type AuthoredRow, authoredColumns, authorColumns, type AuthorRow, isNotDeleted } from './tweet-columns.ts';

/** A direct reply, as far as it is shown below the tweet that it answers. */
export type ReplyRow = Pick<typeof tweets.$inferSelect, 'id' | 'restId' | 'text' | 'createdAt'> & {
  readonly author: AuthorRow;
};

/** Below every tweet: where a list that is read oldest first starts. */
const START_OF_REPLIES: PagePosition = [Number.MIN_SAFE_INTEGER, 0];

/** Reads of single tweets, and of what answers them. */
export function createConversationQueries(db: Db) {
  const restId = sql.placeholder('restId');
  const tweet = db
    .select(authoredColumns)
    .from(tweets)
    .leftJoin(users, eq(users.id, tweets.authorId))
    .where(and(eq(tweets.restId, restId), isNotDeleted))
    .prepare();
  // A reply is shown by its author and its time: one that lacks either cannot be, and no comparison with null holds.
  const isAfterPosition = sql`(${tweets.createdAt}, ${tweets.id}) > (${sql.placeholder('createdAt')}, ${sql.placeholder('id')})`;
  const isNested = sql`${tweets.id} in (select ${tweetReplies.replyId} from ${tweetReplies}
    where ${tweetReplies.tweetId} = ${sql.placeholder('tweetId')})`;
  const replies = db
    .select({
      id: tweets.id,
      restId: tweets.restId,
      text: tweets.text,
      createdAt: tweets.createdAt,
      author: authorColumns,
    })
    .from(tweets)
    .innerJoin(users, eq(users.id, tweets.authorId))
    .where(and(or(eq(tweets.inReplyToStatusId, restId), isNested), isAfterPosition, isNotDeleted))
    .orderBy(asc(tweets.createdAt), asc(tweets.id))
    .limit(sql.placeholder('limit'))
    .prepare();
  return {
    /** Undefined where it is not stored, or known to be deleted. */
    tweet: (id: string): AuthoredRow | undefined => tweet.get({ restId: id }),
    /** Replies that say that they answer it, and those that were shown below it, oldest first. */
    replies(
      parent: Pick<AuthoredRow, 'id' | 'restId'>,
      after: PagePosition = START_OF_REPLIES,
      limit: number,
    ): ReplyRow[] {
      const [createdAt, id] = after;
      return replies.all({ restId: parent.restId, tweetId: parent.id, createdAt, id, limit });
    },
  };
}
