import { sql, type SQL } from 'drizzle-orm';
import type { Db } from './database.ts';
import { bindable, earliest, excluded, fill, latest, newest, placeholders, rules } from './merge.ts';
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

/** What became of a row: its key, and whether the store had it before. */
export interface Stored {
  readonly id: number;
  readonly isNew: boolean;
}

/** Prepares every upsert of the crawl on one connection. They run inside the caller's transaction. */
export function prepareUpserts(db: Db) {
  const user = (fullness: Fullness) => {
    const { columns, set, times } = FULLNESS[fullness];
    return db
      .insert(users)
      .values(placeholders(users, ['restId', ...columns, 'firstSeen', 'seenAt', ...times]))
      .onConflictDoUpdate({
        target: users.restId,
        set: {
          ...set,
          firstSeen: earliest(users.firstSeen),
          seenAt: latest(users.seenAt),
          ...rules(users, times, latest),
        },
      })
      .returning({ id: users.id, firstSeen: users.firstSeen })
      .prepare();
  };
  const userUpserts = { reference: user('reference'), summary: user('summary'), profile: user('profile') };

  const tweet = db
    .insert(tweets)
    .values(placeholders(tweets, ['restId', ...TWEET, 'firstSeen', 'seenAt']))
    .onConflictDoUpdate({
      target: tweets.restId,
      set: {
        ...rules(tweets, TWEET, (c) => newest(c, tweets.seenAt)),
        firstSeen: earliest(tweets.firstSeen),
        seenAt: latest(tweets.seenAt),
      },
    })
    .returning({ id: tweets.id, firstSeen: tweets.firstSeen })
    .prepare();

  const mediaItem = db
    .insert(media)
    .values(placeholders(media, ['tweetId', 'position', 'type', 'url', 'width', 'height']))
    .onConflictDoUpdate({
      target: [media.tweetId, media.position],
      set: rules(media, ['type', 'url', 'width', 'height'], (c) => sql`coalesce(${excluded(c)}, ${c})`),
    })
    .prepare();
  const hashtag = db
    .insert(tweetHashtags)
    .values({ tweetId: sql.placeholder('tweetId'), tag: sql.placeholder('value') })
    .onConflictDoNothing()
    .prepare();
  const mention = db
    .insert(tweetMentions)
    .values({ tweetId: sql.placeholder('tweetId'), screenName: sql.placeholder('value') })
    .onConflictDoNothing()
    .prepare();
  const link = db
    .insert(tweetLinks)
    .values({ tweetId: sql.placeholder('tweetId'), url: sql.placeholder('value') })
    .onConflictDoNothing()
    .prepare();

  const follow = db
    .insert(follows)
    .values(placeholders(follows, ['followeeId', 'followerId', 'firstSeen', 'lastSeen']))
    .onConflictDoUpdate({
      target: [follows.followeeId, follows.followerId],
      set: {
        firstSeen: earliest(follows.firstSeen),
        lastSeen: latest(follows.lastSeen),
        ended: sql`case when ${excluded(follows.lastSeen)} >= ${follows.lastSeen} then null else ${follows.ended} end`,
      },
    })
    .returning({ firstSeen: follows.firstSeen })
    .prepare();

  const group = (table: typeof communities | typeof lists) =>
    db
      .insert(table)
      .values(placeholders(table, ['restId', 'name', 'description', 'seenAt']))
      .onConflictDoUpdate({
        target: table.restId,
        set: { ...rules(table, ['name', 'description'], (c) => newest(c, table.seenAt)), seenAt: latest(table.seenAt) },
      })
      .returning({ id: table.id })
      .prepare();
  const groupUpserts = { community: group(communities), list: group(lists) };

  const search = db
    .insert(searches)
    .values(placeholders(searches, ['query', 'firstSeen', 'seenAt']))
    .onConflictDoUpdate({ target: searches.query, set: { seenAt: latest(searches.seenAt) } })
    .returning({ id: searches.id })
    .prepare();
  const searchHit = db
    .insert(searchHits)
    .values(placeholders(searchHits, ['searchId', 'tweetId', 'rank', 'firstSeen', 'lastSeen']))
    .onConflictDoUpdate({
      target: [searchHits.searchId, searchHits.tweetId],
      set: { rank: newest(searchHits.rank, searchHits.lastSeen), lastSeen: latest(searchHits.lastSeen) },
    })
    .prepare();

  return {
    user(row: UserRow, at: number): Stored {
      const values: Record<string, unknown> = {
        restId: row.restId,
        firstSeen: at,
        seenAt: at,
        summaryAt: at,
        profileAt: at,
      };
      for (const column of FULLNESS[row.fullness].columns) values[column] = bindable(row[column]);
      const stored = userUpserts[row.fullness].get(values)!;
      return { id: stored.id, isNew: stored.firstSeen === at };
    },

    tweet(row: TweetRow, authorId: number | null, at: number): Stored {
      const values: Record<string, unknown> = { restId: row.restId, firstSeen: at, seenAt: at };
      for (const column of TWEET) values[column] = column === 'authorId' ? authorId : bindable(row[column]);
      const { id: tweetId, firstSeen } = tweet.get(values)!;
      for (const [position, item] of row.media.entries()) {
        mediaItem.run({
          tweetId,
          position,
          type: item.type ?? null,
          url: item.url ?? null,
          width: item.width ?? null,
          height: item.height ?? null,
        });
      }
      for (const value of row.hashtags) hashtag.run({ tweetId, value });
      for (const value of row.mentions) mention.run({ tweetId, value });
      for (const value of row.links) link.run({ tweetId, value });
      return { id: tweetId, isNew: firstSeen === at };
    },

    /** True when the edge is new. */
    follow(followerId: number, followeeId: number, at: number): boolean {
      return follow.get({ followerId, followeeId, firstSeen: at, lastSeen: at })!.firstSeen === at;
    },

    group(kind: 'community' | 'list', row: GroupRow, at: number): number {
      const values = { restId: row.restId, name: row.name ?? null, description: row.description ?? null, seenAt: at };
      return groupUpserts[kind].get(values)!.id;
    },

    search(query: string, at: number): number {
      return search.get({ query, firstSeen: at, seenAt: at })!.id;
    },

    searchHit(searchId: number, tweetId: number, rank: number, at: number): void {
      searchHit.run({ searchId, tweetId, rank, firstSeen: at, lastSeen: at });
    },
  };
}
