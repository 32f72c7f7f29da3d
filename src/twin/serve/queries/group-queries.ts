import { and, eq, inArray, sql } from 'drizzle-orm';
import { isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { communities, communityTweets, lists, listTweets, tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { limitPlaceholder } from '#store/sqlite/statement.ts';
import { isBelowPosition, newestFirstOrder, START_OF_LIST } from './newest-first.ts';
import type { PagePosition } from './served-cursors.ts';
import { type AuthoredRow, authoredColumns } from './tweet-columns.ts';

export type ServedGroup = Pick<typeof communities.$inferSelect, 'id' | 'restId' | 'name' | 'description'>;

const KINDS = {
  communities: { group: communities, member: communityTweets, groupId: communityTweets.communityId },
  lists: { group: lists, member: listTweets, groupId: listTweets.listId },
};

/** Prepares the queries of communities and lists. */
export function createGroupQueries(db: Db) {
  const queriesOf = (kind: keyof typeof KINDS) => {
    const { group, member, groupId } = KINDS[kind];
    const byRestId = db
      .select({ id: group.id, restId: group.restId, name: group.name, description: group.description })
      .from(group)
      .where(eq(group.restId, sql.placeholder('restId')))
      .prepare();
    // A group can have many tweets: they are sorted by id and time only, and the page is read in full.
    const page = db
      .select({ id: tweets.id })
      .from(member)
      .innerJoin(tweets, eq(tweets.id, member.tweetId))
      .where(and(eq(groupId, sql.placeholder('groupId')), isBelowPosition, isNotDeleted))
      .orderBy(...newestFirstOrder)
      .limit(limitPlaceholder('limit'));
    const latest = db
      .select(authoredColumns)
      .from(tweets)
      .leftJoin(users, eq(users.id, tweets.authorId))
      .where(inArray(tweets.id, page))
      .orderBy(...newestFirstOrder)
      .prepare();
    return {
      byRestId: (restId: string): ServedGroup | undefined => byRestId.get({ restId }),
      /** Returns its tweets, newest first. */
      latest(groupId: number, after: PagePosition = START_OF_LIST, limit: number): AuthoredRow[] {
        const [createdAt, id] = after;
        return latest.all({ groupId, createdAt, id, limit });
      },
    };
  };
  return { communities: queriesOf('communities'), lists: queriesOf('lists') };
}
