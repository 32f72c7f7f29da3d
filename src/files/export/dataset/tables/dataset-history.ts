import { exportTables } from '#files/export/tables/export-tables.ts';
import {
  type ExportColumn,
  type ExportTable,
  ofAccounts,
  ofTweets,
  textColumn,
  timeColumn,
} from '#files/export/tables/table-definition.ts';

/** The times of a change, after the values before it. */
const CHANGE = [
  timeColumn('h.last_seen_at', 'When these values were last seen.'),
  timeColumn(
    'h.changed_at',
    'When other values were first seen. The change was after `last_seen_at`, and not later than this.',
  ),
];

/** The columns of a table whose earlier values its history `h` has: all but the given ones. */
const earlier = (columns: readonly ExportColumn[], others: string): ExportColumn[] =>
  columns
    .filter(({ name }) => !others.split(' ').includes(name))
    .map((column) => ({ ...column, sql: `h.${column.name}`, description: `${column.description} Null: no change.` }));

export const userHistoryTable: ExportTable = {
  name: 'user_history',
  title: 'Earlier values of accounts, a row per change',
  columns: [
    textColumn('u.rest_id', 'The id of the account.'),
    ...CHANGE,
    ...earlier(exportTables.users.columns, 'rest_id known_by first_seen_at last_seen_at profile_at'),
  ],
  from: 'user_history h cross join users u on u.id = h.user_id',
  orderBy: 'h.id',
  key: ['h.id'],
  time: { first: 'h.last_seen_at', last: 'h.changed_at' },
  ...ofAccounts('h.user_id'),
  kinds: ['profile', 'followers', 'following'],
};

export const tweetHistoryTable: ExportTable = {
  name: 'tweet_history',
  title: 'Earlier values of tweets, a row per change',
  columns: [
    textColumn('t.rest_id', 'The id of the tweet.'),
    ...CHANGE,
    ...earlier(
      exportTables.tweets.columns,
      'rest_id author_rest_id author is_reply first_seen_at last_seen_at deletion_state',
    ),
  ],
  from: 'tweet_history h cross join tweets t on t.id = h.tweet_id',
  orderBy: 'h.id',
  key: ['h.id'],
  ...ofTweets('h.tweet_id'),
};

export const followHistoryTable: ExportTable = {
  name: 'follow_history',
  title: 'Earlier periods of follow edges that ended and returned',
  columns: [
    ...exportTables.follows.columns.slice(0, 4),
    timeColumn('h.first_seen_at', 'When the edge was first seen in this period.'),
    timeColumn('h.last_seen_at', 'When it was last seen in this period.'),
    timeColumn('h.ended_at', 'The latest time of its end.'),
  ],
  from: `follow_history h
  cross join users r on r.id = h.follower_id
  cross join users e on e.id = h.followee_id`,
  orderBy: 'h.id',
  key: ['h.id'],
  time: { first: 'h.first_seen_at', last: 'h.last_seen_at' },
  ...ofAccounts('h.follower_id', 'h.followee_id'),
  kinds: ['followers', 'following'],
};
