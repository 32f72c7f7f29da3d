import { and, eq, sql, type SQL } from 'drizzle-orm';
import type { Db } from './database.ts';
import { excluded, fill, latest, newest, placeholders, rules } from './merge.ts';
import { prepareObservation, type Stored } from './observation.ts';
import type { Fullness, GroupRow, TweetRow, UserRow } from './rows.ts';
import {
  communities,
  follows,
  lists,
  media,
  searchHits,
  searches,
  tweetHashtags,
  tweetLinks,
  tweetMentions,
  tweets,
  users,
} from './schema.ts';
import { compile } from './statement.ts';

/** The upserts of the crawl, prepared once. How an observation merges into a row is in `merge.ts`. */

const NAMES = ['screenName', 'name'] as const;
const SUMMARY = ['description', 'profileImageUrl', 'followersCount', 'followingCount'] as const;
const SUMMARY_ONLY = ['verified'] as const;
const PROFILE_ONLY = [
  'location',
  'url',
  'type',
  'coverImageUrl',
  'isBlueVerified',
  'canDm',
  'hasCustomTimelines',
  'isTranslator',
  'favouritesCount',
  'mediaCount',
  'statusesCount',
  'createdAt',
] as const;

type UserColumn = keyof typeof users._.columns & keyof UserRow;

/** Which columns an observation of each fullness may set, and by which rule. */
const FULLNESS: Record<
  Fullness,
  { columns: readonly UserColumn[]; set: Record<string, SQL>; times: readonly ('summaryAt' | 'profileAt')[] }
> = {
  reference: {
    columns: [...NAMES, 'profileImageUrl'],
    set: { ...rules(users, NAMES, (c) => newest(c, users.seenAt)), ...rules(users, ['profileImageUrl'], fill) },
    times: [],
  },
  summary: {
    columns: [...NAMES, ...SUMMARY, ...SUMMARY_ONLY],
    set: {
      ...rules(users, NAMES, (c) => newest(c, users.seenAt)),
      ...rules(users, [...SUMMARY, ...SUMMARY_ONLY], (c) => newest(c, users.summaryAt)),
    },
    times: ['summaryAt'],
  },
  profile: {
    columns: [...NAMES, ...SUMMARY, ...PROFILE_ONLY],
    set: {
      ...rules(users, NAMES, (c) => newest(c, users.seenAt)),
      ...rules(users, SUMMARY, (c) => newest(c, users.summaryAt)),
      ...rules(users, PROFILE_ONLY, (c) => newest(c, users.profileAt)),
    },
    times: ['summaryAt', 'profileAt'],
  },
};

const TWEET = [
  'authorId',
  'text',
  'createdAt',
  'favoriteCount',
  'retweetCount',
  'replyCount',
  'quoteCount',
  'hasMedia',
  'inReplyToStatusId',
  'inReplyToUserId',
  'inReplyToScreenName',
] as const;

/** Prepares every upsert of the crawl on one connection. They run inside the caller's transaction. */
export function prepareUpserts(db: Db) {
  const user = {
    reference: prepareObservation(db, users, FULLNESS.reference),
    summary: prepareObservation(db, users, FULLNESS.summary),
    profile: prepareObservation(db, users, FULLNESS.profile),
  };
  const tweet = prepareObservation(db, tweets, {
    columns: TWEET,
    set: rules(tweets, TWEET, (c) => newest(c, tweets.seenAt)),
    times: [],
  });

  const mediaItem = compile(
    db,
    db
      .insert(media)
      .values(placeholders(media, ['tweetId', 'position', 'type', 'url', 'width', 'height']))
      .onConflictDoUpdate({
        target: [media.tweetId, media.position],
        set: rules(media, ['type', 'url', 'width', 'height'], (c) => sql`coalesce(${excluded(c)}, ${c})`),
      }),
  );
  const entities = {
    hashtags: compile(
      db,
      db
        .insert(tweetHashtags)
        .values({ tweetId: sql.placeholder('tweetId'), tag: sql.placeholder('value') })
        .onConflictDoNothing(),
    ),
    mentions: compile(
      db,
      db
        .insert(tweetMentions)
        .values({ tweetId: sql.placeholder('tweetId'), screenName: sql.placeholder('value') })
        .onConflictDoNothing(),
    ),
    links: compile(
      db,
      db
        .insert(tweetLinks)
        .values({ tweetId: sql.placeholder('tweetId'), url: sql.placeholder('value') })
        .onConflictDoNothing(),
    ),
  };

  const at = sql`${sql.placeholder('at')}`;
  const newFollow = compile(
    db,
    db
      .insert(follows)
      .values({ ...placeholders(follows, ['followeeId', 'followerId']), firstSeen: at, lastSeen: at })
      .onConflictDoNothing(),
  );
  const seenFollow = compile(
    db,
    db
      .update(follows)
      .set({
        firstSeen: sql`min(${follows.firstSeen}, ${at})`,
        lastSeen: sql`max(${follows.lastSeen}, ${at})`,
        ended: sql`case when ${at} >= ${follows.lastSeen} then null else ${follows.ended} end`,
      })
      .where(
        and(
          eq(follows.followeeId, sql.placeholder('followeeId')),
          eq(follows.followerId, sql.placeholder('followerId')),
        ),
      ),
  );

  const group = (table: typeof communities | typeof lists) =>
    compile(
      db,
      db
        .insert(table)
        .values(placeholders(table, ['restId', 'name', 'description', 'seenAt']))
        .onConflictDoUpdate({
          target: table.restId,
          set: {
            ...rules(table, ['name', 'description'], (c) => newest(c, table.seenAt)),
            seenAt: latest(table.seenAt),
          },
        })
        .returning({ id: table.id }),
    );
  const groupUpserts = { community: group(communities), list: group(lists) };

  const search = compile(
    db,
    db
      .insert(searches)
      .values(placeholders(searches, ['query', 'firstSeen', 'seenAt']))
      .onConflictDoUpdate({ target: searches.query, set: { seenAt: latest(searches.seenAt) } })
      .returning({ id: searches.id }),
  );
  const searchHit = compile(
    db,
    db
      .insert(searchHits)
      .values(placeholders(searchHits, ['searchId', 'tweetId', 'rank', 'firstSeen', 'lastSeen']))
      .onConflictDoUpdate({
        target: [searchHits.searchId, searchHits.tweetId],
        set: { rank: newest(searchHits.rank, searchHits.lastSeen), lastSeen: latest(searchHits.lastSeen) },
      }),
  );

  return {
    user: (row: UserRow, seenAt: number): Stored => user[row.fullness]({ ...row, at: seenAt }),

    tweet(row: TweetRow, authorId: number | null, seenAt: number): Stored {
      const { media: items, hashtags, mentions, links, ...columns } = row;
      const stored = tweet({ ...columns, authorId, at: seenAt });
      const tweetId = stored.id;
      for (const [position, item] of items.entries()) mediaItem.run({ ...item, tweetId, position });
      // They are parts of the text: where it says nothing new, neither do they.
      if (!stored.isNews) return stored;
      for (const value of hashtags) entities.hashtags.run({ tweetId, value });
      for (const value of mentions) entities.mentions.run({ tweetId, value });
      for (const value of links) entities.links.run({ tweetId, value });
      return stored;
    },

    /** True when the edge is new. */
    follow(followerId: number, followeeId: number, seenAt: number): boolean {
      const edge = { followerId, followeeId, at: seenAt };
      const isNew = newFollow.run(edge).changes === 1;
      if (!isNew) seenFollow.run(edge);
      return isNew;
    },

    group: (kind: 'community' | 'list', row: GroupRow, seenAt: number): number =>
      groupUpserts[kind].get({ ...row, seenAt })![0] as number,

    search: (query: string, seenAt: number): number => search.get({ query, firstSeen: seenAt, seenAt })![0] as number,

    searchHit(searchId: number, tweetId: number, rank: number, seenAt: number): void {
      searchHit.run({ searchId, tweetId, rank, firstSeen: seenAt, lastSeen: seenAt });
    },
  };
}
