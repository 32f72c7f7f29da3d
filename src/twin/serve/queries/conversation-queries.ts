import { and, asc, eq, or, sql } from 'drizzle-orm';
import { isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { tweetReplies, tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { limitPlaceholder } from '#store/sqlite/statement.ts';
import type { PagePosition } from './served-cursors.ts';
import { type AuthoredRow, authoredColumns, authorColumns, type AuthorRow } from './tweet-columns.ts';

/** A direct reply, as tweet-detail shows it. */
export type ReplyRow = Pick<typeof tweets.$inferSelect, 'id' | 'restId' | 'text' | 'createdAt'> & {
  readonly author: AuthorRow;
};

/** The start of a list that is read oldest first. */
const START_OF_REPLIES: PagePosition = [Number.MIN_SAFE_INTEGER, 0];

/** Prepares the queries of single tweets and their replies. */
export function createConversationQueries(db: Db) {
  const restId = sql.placeholder('restId');
  const tweet = db
    .select(authoredColumns)
    .from(tweets)
    .leftJoin(users, eq(users.id, tweets.authorId))
    .where(and(eq(tweets.restId, restId), isNotDeleted))
    .prepare();
  // Replies without author or time are not served: no comparison with null holds.
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
    .where(and(or(eq(tweets.inReplyToStatusRestId, restId), isNested), isAfterPosition, isNotDeleted))
    .orderBy(asc(tweets.createdAt), asc(tweets.id))
    .limit(limitPlaceholder('limit'))
    .prepare();
  return {
    /** Returns a tweet; undefined if it is not stored or is deleted. */
    tweet: (id: string): AuthoredRow | undefined => tweet.get({ restId: id }),
    /** Returns replies by their own reference or by their position below the tweet, oldest first. */
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
