import { and, eq, inArray, sql } from 'drizzle-orm';
import { isNotDeleted } from '#store/evidence/deleted-tweets.ts';
import { TWEET_LISTS, type TweetListKind, type TweetRelation } from '#store/relations/list-relations.ts';
import { communities, lists, tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { limitPlaceholder } from '#store/sqlite/statement.ts';
import { isBelowPosition, newestFirstOrder, START_OF_LIST } from './newest-first.ts';
import type { PagePosition } from './served-cursors.ts';
import { type AuthoredRow, authoredColumns } from './tweet-columns.ts';

export type ServedGroup = Pick<typeof communities.$inferSelect, 'id' | 'restId' | 'name' | 'description'>;

/** Prepares the queries of communities and lists. */
export function createGroupQueries(db: Db) {
  const find = (group: typeof communities | typeof lists) => {
    const statement = db
      .select()
      .from(group)
      .where(eq(group.restId, sql.placeholder('restId')))
      .prepare();
    return (restId: string): ServedGroup | undefined => statement.get({ restId });
  };
  return { community: find(communities), list: find(lists) };
}

/** Prepares the queries of the tweets of each relation: those that an owner shows, newest first. */
export function createListQueries(db: Db) {
  const readLatest = ({ table, tweet, owner }: TweetRelation) => {
    // An owner can have many tweets: they are sorted by id and time only, and the page is read in full.
    const page = db
      .select({ id: tweets.id })
      .from(sql.raw(`${table} m`))
      .innerJoin(tweets, eq(tweets.id, sql.raw(`m.${tweet}`)))
      .where(and(eq(sql.raw(`m.${owner}`), sql.placeholder('ownerId')), isBelowPosition, isNotDeleted))
      .orderBy(...newestFirstOrder)
      .limit(limitPlaceholder('limit'));
    const latest = db
      .select(authoredColumns)
      .from(tweets)
      .leftJoin(users, eq(users.id, tweets.authorId))
      .where(inArray(tweets.id, page))
      .orderBy(...newestFirstOrder)
      .prepare();
    return (ownerId: number, after: PagePosition = START_OF_LIST, limit: number): AuthoredRow[] => {
      const [createdAt, id] = after;
      return latest.all({ ownerId, createdAt, id, limit });
    };
  };
  return Object.fromEntries(TWEET_LISTS.map(([kind, relation]) => [kind, readLatest(relation)])) as Record<
    TweetListKind,
    ReturnType<typeof readLatest>
  >;
}
