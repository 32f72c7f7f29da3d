import type { ColumnType, ResultColumn } from '#files/export/result-set.ts';
import { TWEET_KINDS } from '#service/kinds/kinds.ts';

export interface ExportColumn extends ResultColumn {
  readonly description: string;
  /** The expression of its values. */
  readonly sql: string;
}

/** A table that can be exported: everything that differs between tables. Expressions are SQL over the aliases of `from`. */
export interface ExportTable {
  readonly name: string;
  /** What a row is. */
  readonly title: string;
  readonly columns: readonly ExportColumn[];
  /** The base table and its joins, in the order of their execution. */
  readonly from: string;
  /** What holds for all rows; undefined if every row of `from` is one. */
  readonly condition?: string;
  /** The order of the rows: that of an index, so that rows are read without sorting. */
  readonly orderBy: string;
  /** The expressions that identify a row; none can be null. */
  readonly key: readonly string[];
  /** A text of the service's ids that identifies a row in any store; undefined if samples make no sense. */
  readonly sampleKey?: string;
  /** The first and the last time of an item, in milliseconds; rows without them are in no range of time. */
  readonly time: { readonly first: string; readonly last: string };
  /** The id of the tweet that a row belongs to; undefined if it belongs to none. */
  readonly tweetId?: string;
  /** The ids of the accounts that a row belongs to. */
  readonly accountIds: readonly string[];
  /** The condition for the rows of a set of accounts, by an index. */
  readonly belongsTo: (set: string) => string;
  /** The kinds of crawls whose lists the rows come from. */
  readonly kinds: readonly string[];
}

/** The rows of accounts. @param ids the expressions of their ids */
export const ofAccounts = (...accountIds: readonly string[]): Pick<ExportTable, 'accountIds' | 'belongsTo'> => ({
  accountIds,
  belongsTo: (set) => `(${accountIds.map((id) => `${id} in (select id from ${set})`).join(' or ')})`,
});

/** The rows of tweets. @param id the expression of the id of the tweet @param tweet the alias of the table of tweets */
export const ofTweets = (
  id: string,
  tweet = 't',
): Pick<ExportTable, 'tweetId' | 'accountIds' | 'belongsTo' | 'time' | 'kinds'> => ({
  tweetId: id,
  accountIds: [`${tweet}.author_id`],
  belongsTo: tweetBelongsTo(id),
  time: atTime(`${tweet}.created_at`),
  kinds: TWEET_KINDS,
});

/** The condition that a tweet is of a set of accounts. */
export const tweetBelongsTo =
  (tweetId: string) =>
  (set: string): string =>
    `${tweetId} in (select id from tweets where author_id in (select id from ${set}))`;

/** The time of items that have one time only. */
export const atTime = (time: string): ExportTable['time'] => ({ first: time, last: time });

/** Returns a function that creates columns of a type. Without a name, a column has that of the stored column `alias.name`. */
const ofType =
  (type: ColumnType) =>
  (sql: string, description: string, name = sql.replace(/^.*\./, '')): ExportColumn => ({
    name,
    type,
    description,
    sql,
  });

export const textColumn = ofType('text');
export const integerColumn = ofType('integer');
export const realColumn = ofType('real');
export const flagColumn = ofType('boolean');
export const timeColumn = ofType('timestamp');
