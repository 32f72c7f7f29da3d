import { and, eq, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import { bound, earliest, excluded, isNoNews, latest, newest, placeholders, rules } from './merge.ts';
import type { TweetRow } from './rows.ts';
import { media, tweetHashtags, tweetLinks, tweetMentions, tweets } from './schema.ts';
import { compile } from './statement.ts';

const COLUMNS = [
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
const MEDIA = ['type', 'url', 'width', 'height'] as const;
const BESIDE = ['at', 'authorId', 'id'];

/** What became of an observed tweet: its key, and whether the store had it before. */
export interface StoredTweet {
  readonly id: number;
  readonly isNew: boolean;
}

/** Prepares the merging of observed tweets (law 6), with what is in them. One that is as it was only moves its time. */
export function prepareTweets(db: Db): (row: TweetRow, authorId: number | null, at: number) => StoredTweet {
  const at = sql`${sql.placeholder('at')}`;
  const id = sql.placeholder('id');
  const find = compile(
    db,
    db
      .select({ id: tweets.id })
      .from(tweets)
      .where(eq(tweets.restId, sql.placeholder('restId'))),
  );
  const insert = compile(
    db,
    db.insert(tweets).values({ ...placeholders(tweets, ['restId', ...COLUMNS]), firstSeen: at, seenAt: at }),
    BESIDE,
  );
  const times = {
    ...rules(tweets, ['firstSeen'], earliest, () => at),
    ...rules(tweets, ['seenAt'], latest, () => at),
  };
  const touch = compile(
    db,
    db
      .update(tweets)
      .set(times)
      .where(and(eq(tweets.id, id), ...isNoNews(tweets, COLUMNS))),
    BESIDE,
  );
  const merge = compile(
    db,
    db
      .update(tweets)
      .set({ ...rules(tweets, COLUMNS, newest(at, tweets.seenAt), bound), ...times })
      .where(eq(tweets.id, id)),
    BESIDE,
  );

  const mediaItem = compile(
    db,
    db
      .insert(media)
      .values(placeholders(media, ['tweetId', 'position', ...MEDIA]))
      .onConflictDoUpdate({
        target: [media.tweetId, media.position],
        set: rules(media, MEDIA, (column, observed) => sql`coalesce(${observed}, ${column})`),
        setWhere: sql.join(
          MEDIA.map((name) => sql`coalesce(${excluded(media[name])}, ${media[name]}) is not ${media[name]}`),
          sql` or `,
        ),
      }),
    ['tweetId', 'position'],
  );
  const value = sql.placeholder('value');
  const tweetId = sql.placeholder('tweetId');
  const entity = (table: typeof tweetHashtags | typeof tweetMentions | typeof tweetLinks, column: object) =>
    compile(
      db,
      db
        .insert(table)
        .values({ tweetId, ...column } as never)
        .onConflictDoNothing(),
    );
  const entities = {
    hashtags: entity(tweetHashtags, { tag: value }),
    mentions: entity(tweetMentions, { screenName: value }),
    links: entity(tweetLinks, { url: value }),
  };

  function store(row: TweetRow, authorId: number | null, time: number): StoredTweet & { readonly isNews: boolean } {
    const known = find.get(row);
    if (!known) return { id: insert.run(row, time, authorId).lastInsertRowid, isNew: true, isNews: true };
    const key = known[0] as number;
    const isNews = touch.run(row, time, authorId, key).changes === 0;
    if (isNews) merge.run(row, time, authorId, key);
    return { id: key, isNew: false, isNews };
  }

  return (row, authorId, time) => {
    const stored = store(row, authorId, time);
    for (const [position, item] of row.media.entries()) mediaItem.run(item, stored.id, position);
    // They are parts of the text: where it is the same, so are they.
    if (stored.isNews) {
      for (const kind of ['hashtags', 'mentions', 'links'] as const) {
        for (const each of row[kind]) entities[kind].run({ tweetId: stored.id, value: each });
      }
    }
    return stored;
  };
}
