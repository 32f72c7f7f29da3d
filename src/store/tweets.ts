import { and, eq, lte, not, or, sql } from 'drizzle-orm';
import { prepareCarefulMerge } from './careful-merge.ts';
import type { Value } from './course.ts';
import type { Db } from './database.ts';
import { bound, isNoNews, isShown, lacks, placeholders, rules } from './merge.ts';
import type { TweetRow } from './rows.ts';
import { tweets } from './schema.ts';
import { compile } from './statement.ts';
import { prepareTweetParts } from './tweet-parts.ts';

/** What may change: the latest observation of each holds. */
const CHANGING = [
  'authorId',
  'text',
  'favoriteCount',
  'retweetCount',
  'replyCount',
  'quoteCount',
  'inReplyToScreenName',
] as const;
/** What may not, and what many pages do not show. Where two differ all the same, the greater one holds. */
const LASTING = ['createdAt', 'hasMedia', 'inReplyToStatusId', 'inReplyToUserId'] as const;
const COLUMNS = [...CHANGING, ...LASTING] as const;
const BESIDE = ['at', 'authorId', 'id', 'listed'];

/** What became of an observed tweet: its key, and whether the store had it before. */
export interface StoredTweet {
  readonly id: number;
  readonly isNew: boolean;
}

/** Prepares the merging of observed tweets (law 6), with what is in them. One that is as it was only moves its time. */
export function prepareTweets(
  db: Db,
): (row: TweetRow, authorId: number | null, at: number, listed: number) => StoredTweet {
  const at = sql`${sql.placeholder('at')}`;
  const id = sql.placeholder('id');
  const listed = sql`${tweets.listed} | ${sql.placeholder('listed')}`;
  const isAsItWas = and(
    eq(tweets.behind, sql`0`),
    lte(tweets.seenAt, at),
    ...isShown(tweets, CHANGING),
    ...isNoNews(tweets, LASTING),
  )!;
  const isNewest = and(eq(tweets.behind, sql`0`), sql`${at} > ${tweets.seenAt}`, not(or(...lacks(tweets, CHANGING))!))!;
  const find = compile(
    db,
    db
      .select({ id: tweets.id, isAsItWas, seenAt: tweets.seenAt })
      .from(tweets)
      .where(eq(tweets.restId, sql.placeholder('restId'))),
    BESIDE,
  );
  const newest = compile(db, db.select({ isNewest }).from(tweets).where(eq(tweets.id, id)), BESIDE);
  const insert = compile(
    db,
    db.insert(tweets).values({
      ...placeholders(tweets, ['restId', ...COLUMNS]),
      firstSeen: at,
      seenAt: at,
      listed: sql`${sql.placeholder('listed')}`,
    }),
    BESIDE,
  );
  const touch = compile(db, db.update(tweets).set({ seenAt: at, listed }).where(eq(tweets.id, id)), BESIDE);
  const replace = compile(
    db,
    db
      .update(tweets)
      .set({
        ...rules(tweets, CHANGING, (_, observed) => observed, bound),
        ...rules(
          tweets,
          LASTING,
          (column, observed) => sql`coalesce(max(${column}, ${observed}), ${column}, ${observed})`,
          bound,
        ),
        seenAt: at,
        listed,
      })
      .where(eq(tweets.id, id)),
    BESIDE,
  );
  const mergeCarefully = prepareCarefulTweets(db);
  const parts = prepareTweetParts(db);

  return (row, authorId, time, lists) => {
    const known = find.get(row, time, authorId);
    if (!known) {
      const key = insert.run(row, time, authorId, null, lists).lastInsertRowid;
      parts.media(key, row, 1);
      parts.entities(key, row);
      return { id: key, isNew: true };
    }
    const [key, isAsItWas, seenAt] = known as [number, number, number];
    if (isAsItWas === 1) touch.run(row, time, authorId, key, lists);
    else if (newest.get(row, time, authorId, key)![0] === 1) replace.run(row, time, authorId, key, lists);
    else mergeCarefully(key, row, authorId, time, lists);
    parts.media(key, row, Math.sign(time - seenAt) as -1 | 0 | 1);
    // They are parts of the text: where it is the same, so are they.
    if (isAsItWas !== 1) parts.entities(key, row);
    return { id: key, isNew: false };
  };
}

/** Prepares the careful merging of a tweet that the store knows. */
function prepareCarefulTweets(
  db: Db,
): (id: number, row: TweetRow, authorId: number | null, at: number, lists: number) => void {
  const find = compile(
    db,
    db
      .select({
        ...Object.fromEntries(COLUMNS.map((column) => [column, tweets[column]])),
        ...{ seenAt: tweets.seenAt, firstSeen: tweets.firstSeen, listed: tweets.listed },
      })
      .from(tweets)
      .where(eq(tweets.id, sql.placeholder('id'))),
  );
  const update = compile(
    db,
    db
      .update(tweets)
      .set(placeholders(tweets, [...COLUMNS, 'firstSeen', 'seenAt', 'behind', 'listed']))
      .where(eq(tweets.id, sql.placeholder('id'))),
  );
  const merge = prepareCarefulMerge(db, 'tweets', COLUMNS);
  const lasting: readonly string[] = LASTING;
  /** Whatever was shown of what lasts is of one time. */
  const timed = (time: number) => (column: string) => (lasting.includes(column) ? 0 : time);

  return (id, observed, authorId, at, lists) => {
    const found = find.get({ id })!;
    const row = Object.fromEntries(COLUMNS.map((column, i) => [column, found[i] as Value | null]));
    const [seenAt, firstSeen, listed] = found.slice(COLUMNS.length) as [number, number, number];
    const after = Math.max(seenAt, at);
    const shown = COLUMNS.flatMap((column): [string, Value, number][] => {
      const value = column === 'authorId' ? authorId : observed[column];
      return value == null ? [] : [[column, typeof value === 'boolean' ? Number(value) : value, timed(at)(column)]];
    });
    merge({ id, row, at, shown, since: firstSeen, before: timed(seenAt), after: timed(after) }, (merged) =>
      update.run({
        ...{ ...merged.row, id, behind: merged.behind },
        ...{ firstSeen: Math.min(firstSeen, at), seenAt: after, listed: listed | lists },
      }),
    );
  };
}
