import { type ExportColumn, type ExportTable, textColumn, timeColumn } from '../../tables/export-table.ts';
import { exportTables } from '../../tables/tables.ts';
import { TWEET_KINDS, tweetBelongsTo } from '../../tables/tweets.ts';

/** The times of a change, after the values before it. */
const CHANGE = [
  timeColumn('last_seen_at', 'h.last_seen_at', 'When these values were last seen.'),
  timeColumn(
    'changed_at',
    'h.changed_at',
    'When other values were first seen. The change was after `last_seen_at`, and not later than this.',
  ),
];

/** Columns of a table in its history `h`. */
const earlier = (columns: readonly ExportColumn[], names: readonly string[]): ExportColumn[] =>
  columns
    .filter(({ name }) => names.includes(name))
    .map((column) => ({ ...column, sql: `h.${column.name}`, description: `${column.description} Null: no change.` }));

const USER_VALUES = [
  'screen_name',
  'name',
  'description',
  'location',
  'url',
  'type',
  'profile_image_url',
  'cover_image_url',
  'verified',
  'is_blue_verified',
  'can_dm',
  'has_custom_timelines',
  'is_translator',
  'followers_count',
  'following_count',
  'favourites_count',
  'media_count',
  'statuses_count',
  'created_at',
];

export const userHistoryTable: ExportTable = {
  title: 'Earlier values of accounts, a row per change',
  columns: [
    textColumn('rest_id', 'u.rest_id', 'The id of the account.'),
    ...CHANGE,
    ...earlier(exportTables.users.columns, USER_VALUES),
  ],
  from: 'user_history h cross join users u on u.id = h.user_id',
  orderBy: 'h.id',
  key: ['h.id'],
  sampleKey: undefined,
  time: { first: 'h.last_seen_at', last: 'h.changed_at' },
  tweetId: undefined,
  accountIds: ['h.user_id'],
  belongsTo: (set) => `h.user_id in (select id from ${set})`,
  counted: 'user_history',
  kinds: ['profile', 'followers', 'following'],
};

const TWEET_VALUES = [
  'text',
  'created_at',
  'favorite_count',
  'retweet_count',
  'reply_count',
  'quote_count',
  'has_media',
  'in_reply_to_status_rest_id',
  'in_reply_to_user_rest_id',
  'in_reply_to_screen_name',
];

export const tweetHistoryTable: ExportTable = {
  title: 'Earlier values of tweets, a row per change',
  columns: [
    textColumn('rest_id', 't.rest_id', 'The id of the tweet.'),
    ...CHANGE,
    ...earlier(exportTables.tweets.columns, TWEET_VALUES),
  ],
  from: 'tweet_history h cross join tweets t on t.id = h.tweet_id',
  orderBy: 'h.id',
  key: ['h.id'],
  sampleKey: undefined,
  time: { first: 't.created_at', last: 't.created_at' },
  tweetId: 'h.tweet_id',
  accountIds: ['t.author_id'],
  belongsTo: tweetBelongsTo('h.tweet_id'),
  counted: 'tweet_history',
  kinds: TWEET_KINDS,
};

export const followHistoryTable: ExportTable = {
  title: 'Earlier periods of follow edges that ended and returned',
  columns: [
    ...exportTables.follows.columns.slice(0, 4),
    timeColumn('first_seen_at', 'h.first_seen_at', 'When the edge was first seen in this period.'),
    timeColumn('last_seen_at', 'h.last_seen_at', 'When it was last seen in this period.'),
    timeColumn('ended_at', 'h.ended_at', 'The latest time of its end.'),
  ],
  from: `follow_history h
  cross join users r on r.id = h.follower_id
  cross join users e on e.id = h.followee_id`,
  orderBy: 'h.id',
  key: ['h.id'],
  sampleKey: undefined,
  time: { first: 'h.first_seen_at', last: 'h.last_seen_at' },
  tweetId: undefined,
  accountIds: ['h.follower_id', 'h.followee_id'],
  belongsTo: (set) => `(h.follower_id in (select id from ${set}) or h.followee_id in (select id from ${set}))`,
  counted: 'follow_history',
  kinds: ['followers', 'following'],
};
