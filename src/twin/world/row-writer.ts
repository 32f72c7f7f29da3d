import { getTableColumns, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { extractEntities } from '#base/text.ts';
import * as schema from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { FollowEdge } from './generate-follows.ts';
import type { Groups, WrittenGroup } from './generate-groups.ts';
import type { People } from './generate-people.ts';
import type { WrittenTweet } from './generate-tweets.ts';
import { WORLD_END } from './times-and-ids.ts';

/** Prepares an insert of complete rows: a missing column is a type error, not a NULL. */
export function prepareInsert<T extends SQLiteTable>(db: Db, table: T): (row: Required<T['$inferInsert']>) => void {
  const placeholders = Object.fromEntries(
    Object.keys(getTableColumns(table)).map((name) => [name, sql.placeholder(name)]),
  );
  const statement = db
    .insert(table)
    .values(placeholders as T['$inferInsert'])
    .prepare();
  return (row) => void statement.run(row);
}

/** The store's keys and references of a tweet that is written. */
export interface TweetPlace {
  readonly id: number;
  readonly authorId: number;
  /** The tweet that a reply answers, and its author. */
  readonly parent: { readonly restId: string; readonly userRestId: string; readonly screenName: string } | undefined;
  readonly communityIds: readonly number[];
  readonly listIds: readonly number[];
  /** When it is first seen. */
  readonly seenAt: number;
}

/** Creates a function that writes a tweet with its media, entities and groups, and returns its hashtags. */
export function createTweetRowWriter(
  db: Db,
): (written: Omit<WrittenTweet, 'author' | 'parent'>, place: TweetPlace) => readonly string[] {
  const tweet = prepareInsert(db, schema.tweets);
  const media = prepareInsert(db, schema.media);
  const hashtag = prepareInsert(db, schema.tweetHashtags);
  const mention = prepareInsert(db, schema.tweetMentions);
  const link = prepareInsert(db, schema.tweetLinks);
  const communityTweet = prepareInsert(db, schema.communityTweets);
  const listTweet = prepareInsert(db, schema.listTweets);
  return (written, { id, authorId, parent, communityIds, listIds, seenAt }) => {
    tweet({
      id,
      restId: written.restId,
      authorId,
      text: written.text,
      createdAt: written.createdAt,
      favoriteCount: written.favorites,
      retweetCount: written.retweets,
      replyCount: written.replies,
      quoteCount: written.quotes,
      hasMedia: written.media.length > 0,
      inReplyToStatusRestId: parent ? parent.restId : null,
      inReplyToUserRestId: parent ? parent.userRestId : null,
      inReplyToScreenName: parent ? parent.screenName : null,
      hasStaleColumns: false,
      // Whether a tweet is an original or a reply is always known in a world.
      seenInLists: parent ? 2 : 3,
      hasMediaSeenAt: seenAt,
      inReplyToSeenAt: parent ? seenAt : null,
      firstSeenAt: seenAt,
      lastSeenAt: seenAt,
    });
    for (const [position, item] of written.media.entries()) media({ tweetId: id, position, ...item });
    const entities = extractEntities(written.text);
    for (const tag of entities.hashtags) hashtag({ tweetId: id, tag });
    for (const screenName of entities.mentions) mention({ tweetId: id, screenName });
    for (const url of entities.links) link({ tweetId: id, url });
    for (const communityId of communityIds) communityTweet({ communityId, tweetId: id, firstSeenAt: seenAt });
    for (const listId of listIds) listTweet({ listId, tweetId: id, firstSeenAt: seenAt });
    return entities.hashtags;
  };
}

/** Creates functions that write a world to the store. The key of a user is its index plus one. */
export function createRowWriter(db: Db, people: People) {
  const follow = prepareInsert(db, schema.follows);
  let edges = 0;
  const writeTweet = createTweetRowWriter(db);
  const community = prepareInsert(db, schema.communities);
  const list = prepareInsert(db, schema.lists);
  const seen = { firstSeenAt: WORLD_END, lastSeenAt: WORLD_END };
  const groupRow = ({ restId, name, description }: WrittenGroup, index: number) => ({
    id: index + 1,
    restId,
    name,
    description,
    lastSeenAt: WORLD_END,
  });
  const user = prepareInsert(db, schema.users);
  const userSeen = prepareInsert(db, schema.userLastSeen);
  return {
    user(row: Required<typeof schema.users.$inferInsert>): void {
      user(row);
      userSeen({ userId: row.id, lastSeenAt: WORLD_END, lastSummaryAt: WORLD_END });
    },
    follow: ({ follower, followee }: FollowEdge): void =>
      follow({
        id: (edges += 1),
        followerId: follower + 1,
        followeeId: followee + 1,
        ...seen,
        endedAt: null,
        firstMissedAt: null,
        lastSeenIn: 0,
      }),
    groups({ communities, lists }: Groups): void {
      for (const [index, written] of communities.entries()) community(groupRow(written, index));
      for (const [index, written] of lists.entries()) list(groupRow(written, index));
    },
    /** Returns the tweet's hashtags. */
    tweet: (written: WrittenTweet, id: number, groups: ReturnType<Groups['findGroups']>): readonly string[] =>
      writeTweet(written, {
        id,
        authorId: written.author + 1,
        parent: written.parent && {
          restId: written.parent.restId,
          userRestId: people.restIds[written.parent.author]!,
          screenName: people.screenNames[written.parent.author]!,
        },
        communityIds: groups.communities.map((index) => index + 1),
        listIds: groups.lists.map((index) => index + 1),
        seenAt: WORLD_END,
      }),
  };
}
