import { and, eq, lte, not, or, sql } from 'drizzle-orm';
import type { TweetRow } from '#store/schema/normalised-rows.ts';
import { tweets, media } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound, compileStatement, pickColumns, placeholders, type Statement } from '#store/sqlite/statement.ts';
import { prepareTweetIndex } from './full-text-index.ts';
import {
  boundValue,
  conditionsDiffer,
  conditionsEqual,
  oneIfTrue,
  conditionsMissing,
  mergeColumns,
  takeObserved,
  compileUpsert,
  excludedValue,
  type Rule,
} from './merge-rules.ts';
import { type ObservedColumn, prepareOutOfOrderMerge, type ColumnValue } from './out-of-order-merge.ts';

/** Columns that every page shows; their time is that of the tweet. */
const COUNTS = ['favoriteCount', 'retweetCount', 'replyCount', 'quoteCount'] as const;
const CONTENT = ['authorId', 'text', 'createdAt'] as const;
/**
 * Columns that only some endpoints show. Each group has its own time, since its absence from other pages means nothing.
 */
const GROUPS = {
  hasMediaSeenAt: ['hasMedia'],
  inReplyToSeenAt: ['inReplyToStatusRestId', 'inReplyToUserRestId', 'inReplyToScreenName'],
} as const;
type GroupTime = keyof typeof GROUPS;
const TIMES = ['hasMediaSeenAt', 'inReplyToSeenAt'] as const satisfies readonly GroupTime[];
const COLUMNS = [...CONTENT, ...COUNTS, ...GROUPS.hasMediaSeenAt, ...GROUPS.inReplyToSeenAt] as const;
/** Compiles a query with parameters that are bound in addition to the row. */
const compile = (query: Parameters<typeof compileStatement>[0]): Statement =>
  compileStatement(query, ['at', 'authorId', 'id', 'listed']);

/** The stored tweet: its key, whether it is new, and whether it has changed. */
export interface StoredTweet {
  readonly id: number;
  readonly isNew: boolean;
  readonly hasChanged: boolean;
}

/** Prepares the statements for observations that show exactly these groups. */
function prepareStatements(db: Db, groups: readonly GroupTime[]) {
  const contentColumns = [...CONTENT, ...groups.flatMap((time) => GROUPS[time])];
  const columns = [...contentColumns, ...COUNTS];
  const { at, id } = bound;
  const listed = sql`${tweets.seenInLists} | ${bound.listed}`;
  const times = Object.fromEntries(groups.map((time) => [time, at]));
  const isUnchanged = oneIfTrue(
    and(eq(tweets.hasStaleColumns, sql`0`), lte(tweets.lastSeenAt, at), ...conditionsEqual(tweets, columns)),
  );
  const isNewest = oneIfTrue(
    and(
      eq(tweets.hasStaleColumns, sql`0`),
      sql`${at} > ${tweets.lastSeenAt}`,
      not(or(...conditionsMissing(tweets, columns))!),
    ),
  );
  const hasChanged = oneIfTrue(or(...conditionsDiffer(tweets, COUNTS), ...conditionsDiffer(tweets, contentColumns)));
  const hasOnlyCountChanges = oneIfTrue(and(...conditionsEqual(tweets, contentColumns)));
  const update = (names: readonly (typeof columns)[number][]) =>
    compile(
      db
        .update(tweets)
        .set({
          ...mergeColumns(tweets, names, takeObserved, boundValue),
          lastSeenAt: at,
          seenInLists: listed,
          ...times,
        })
        .where(eq(tweets.id, id)),
    );
  const found = { id: tweets.id, isUnchanged, seenAt: tweets.lastSeenAt };
  return {
    find: compile(db.select(found).from(tweets).where(eq(tweets.restId, bound.restId))),
    newest: compile(db.select({ isNewest, hasChanged, hasOnlyCountChanges }).from(tweets).where(eq(tweets.id, id))),
    insert: compile(
      db.insert(tweets).values({
        ...placeholders(tweets, ['restId', ...columns]),
        id,
        firstSeenAt: at,
        lastSeenAt: at,
        seenInLists: bound.listed,
        ...times,
      }),
    ),
    touch: update([]),
    replace: update(columns),
    // Usually only counts have changed: then no index, full-text entry or other history is touched.
    replaceCounts: update(COUNTS),
  };
}

/** Prepares the merge of observed tweets (invariant 6) and their parts. An unchanged tweet only gets a new time. */
export function prepareTweets(
  db: Db,
): (row: TweetRow, authorId: number | null, at: number, listed: number) => StoredTweet {
  /** Statements by the groups that an observation shows, a bit for each; prepared at first use. */
  const statementsByGroups: ReturnType<typeof prepareStatements>[] = [];
  const statementsFor = (row: TweetRow) => {
    const repliesTo = row.inReplyToStatusRestId ?? row.inReplyToUserRestId ?? row.inReplyToScreenName;
    const bits = (row.hasMedia == null ? 0 : 1) | (repliesTo == null ? 0 : 2);
    return (statementsByGroups[bits] ??= prepareStatements(
      db,
      TIMES.filter((_time, i) => bits & (1 << i)),
    ));
  };
  let mergeOutOfOrder: ReturnType<typeof prepareOutOfOrderTweets> | undefined;
  const parts = prepareTweetParts(db);
  const indexTweet = prepareTweetIndex(db);

  return (row, authorId, time, listBits) => {
    const statements = statementsFor(row);
    const existing = statements.find.get(row, time, authorId);
    if (!existing) {
      const key = statements.insert.run(row, time, authorId, indexTweet(row.text), listBits).lastInsertRowid;
      parts.media(key, row, 1);
      parts.entities(key, row);
      return { id: key, isNew: true, hasChanged: false };
    }
    const [key, isUnchanged, seenAt] = existing as [number, number, number];
    let hasChanged = false;
    if (isUnchanged === 1) statements.touch.run(row, time, authorId, key, listBits);
    else {
      const [isNewest, isChanged, hasOnlyCountChanges] = statements.newest.get(row, time, authorId, key)!;
      if (isNewest === 1) {
        const replace = hasOnlyCountChanges === 1 ? statements.replaceCounts : statements.replace;
        replace.run(row, time, authorId, key, listBits);
        hasChanged = isChanged === 1;
      } else hasChanged = (mergeOutOfOrder ??= prepareOutOfOrderTweets(db))(key, row, authorId, time, listBits);
    }
    parts.media(key, row, Math.sign(time - seenAt) as -1 | 0 | 1);
    // Entities are derived from the text and change only with it.
    if (isUnchanged !== 1) parts.entities(key, row);
    return { id: key, isNew: false, hasChanged };
  };
}

/** Prepares the out-of-order merge of a stored tweet. */
function prepareOutOfOrderTweets(
  db: Db,
): (id: number, row: TweetRow, authorId: number | null, at: number, listBits: number) => boolean {
  const isTweet = eq(tweets.id, bound.id);
  const columns = [...COLUMNS, 'lastSeenAt', 'firstSeenAt', 'seenInLists', ...TIMES] as const;
  const find = compileStatement(db.select(pickColumns(tweets, columns)).from(tweets).where(isTweet));
  const changes = placeholders(tweets, [...columns, 'hasStaleColumns']);
  const update = compileStatement(db.update(tweets).set(changes).where(isTweet));
  const merge = prepareOutOfOrderMerge(db, 'tweets', COLUMNS);
  const groupOf = new Map<string, GroupTime>(TIMES.flatMap((time) => GROUPS[time].map((column) => [column, time])));

  return (id, observed, authorId, at, listBits) => {
    const stored = find.get({ id })!;
    const row = Object.fromEntries(COLUMNS.map((column, i) => [column, stored[i] as ColumnValue | null]));
    const [seenAt, firstSeen, listed, ...times] = stored.slice(COLUMNS.length) as number[];
    const observedValues = COLUMNS.flatMap((column): ObservedColumn[] => {
      const value = column === 'authorId' ? authorId : observed[column];
      return value == null ? [] : [[column, value, at]];
    });
    const before = new Map(TIMES.map((time, i) => [time, times[i] ?? 0]));
    const after = new Map(before);
    for (const [column] of observedValues) {
      const time = groupOf.get(column);
      if (time) after.set(time, Math.max(before.get(time)!, at));
    }
    const timeOf = (base: number, groups: ReadonlyMap<GroupTime, number>) => (column: string) =>
      groups.get(groupOf.get(column)!) ?? base;
    const lastSeen = Math.max(seenAt!, at);
    return merge(
      {
        id,
        row,
        shown: observedValues,
        since: firstSeen!,
        before: timeOf(seenAt!, before),
        after: timeOf(lastSeen, after),
      },
      (merged) =>
        update.run({
          ...merged.row,
          id,
          hasStaleColumns: merged.hasStaleColumns,
          ...Object.fromEntries([...after].map(([time, value]) => [time, value || null])),
          firstSeenAt: Math.min(firstSeen!, at),
          lastSeenAt: lastSeen,
          seenInLists: listed! | listBits,
        }),
    );
  };
}

/** The lists of texts of a tweet that have a table each, with the column of the text. */
export const ENTITIES = {
  hashtags: ['tweet_hashtags', 'tag'],
  mentions: ['tweet_mentions', 'screen_name'],
  links: ['tweet_links', 'url'],
} as const;

const MEDIA = ['type', 'url', 'width', 'height'] as const;

/** Null means unknown. The later observation wins, and of two at the same time the greater value. */
const MEDIA_RULES = {
  later: (column, observed) => sql`coalesce(${observed}, ${column})`,
  together: (column, observed) => sql`coalesce(max(${column}, ${observed}), ${column}, ${observed})`,
  earlier: (column, observed) => sql`coalesce(${column}, ${observed})`,
} satisfies Record<string, Rule>;

/** Prepares the writes of media, hashtags, mentions and links. */
function prepareTweetParts(db: Db) {
  const prepareMedia = (rule: Rule) => {
    const rules = { type: rule, url: rule, width: rule, height: rule };
    const changes = MEDIA.map((name) => sql`${rule(media[name], excludedValue(media[name]))} is not ${media[name]}`);
    const extraNames = ['tweetId', 'position'];
    return compileUpsert(db, media, ['tweetId', 'position'], rules, { setWhere: or(...changes), extraNames });
  };
  const mediaStatements = {
    later: prepareMedia(MEDIA_RULES.later),
    together: prepareMedia(MEDIA_RULES.together),
    earlier: prepareMedia(MEDIA_RULES.earlier),
  };
  const entities = Object.entries(ENTITIES).map(
    ([name, [table, column]]) =>
      [
        name as keyof typeof ENTITIES,
        db.$client.prepare(`insert into ${table} (tweet_id, ${column}) values (?, ?) on conflict do nothing`),
      ] as const,
  );

  return {
    /** `order` is the sign of this observation's time minus that of the latest one before. */
    media(id: number, row: TweetRow, order: -1 | 0 | 1): void {
      const statement = mediaStatements[order > 0 ? 'later' : order === 0 ? 'together' : 'earlier'];
      for (const [position, element] of row.media.entries()) statement.run(element, id, position);
    },
    entities(id: number, row: TweetRow): void {
      for (const [name, insert] of entities) for (const element of row[name]) insert.run(id, element);
    },
  };
}
