import type { Selection } from '../row-selection.ts';
import { exportTables } from '../tables/export-tables.ts';
import type { ExportTable } from '../tables/table-definition.ts';
import { completenessTable, crawlsTable } from './tables/dataset-crawls.ts';
import {
  communitiesTable,
  communityTweetsTable,
  listsTable,
  listTweetsTable,
  searchesTable,
  searchHitsTable,
} from './tables/dataset-groups.ts';
import { followHistoryTable, tweetHistoryTable, userHistoryTable } from './tables/dataset-history.ts';

/** A column whose values are those of a column of another table. */
export interface ForeignKey {
  readonly column: string;
  readonly to: { readonly table: string; readonly column: string };
}

/** A table of a dataset. */
export interface DatasetTable {
  readonly name: string;
  readonly table: ExportTable;
  /** `data`: rows of the microblog. `coverage`: what is known about them; always CSV, for readers without a program. */
  readonly group: 'data' | 'coverage';
  /** The columns that identify a row; undefined if one may be missing. */
  readonly primaryKey?: readonly string[];
  readonly foreignKeys?: readonly ForeignKey[];
  /** Foreign keys that hold only if no rows of the other table are left out. */
  readonly wholeForeignKeys?: readonly ForeignKey[];
  /** A range of time does not restrict it: its rows belong to rows of other tables. */
  readonly isTimeless?: true;
}

const refer = (column: string, table: string, to = 'rest_id'): ForeignKey => ({ column, to: { table, column: to } });

const TWEET = refer('tweet_rest_id', 'tweets');
const AUTHOR = refer('author_rest_id', 'users');
const EDGE = [refer('follower_rest_id', 'users'), refer('followee_rest_id', 'users')];

/** A table of the parts of tweets. */
const tweetPart = (name: 'mentions' | 'hashtags' | 'links' | 'media', part: string): DatasetTable => ({
  name,
  table: exportTables[name],
  group: 'data',
  primaryKey: ['tweet_rest_id', part],
  foreignKeys: [TWEET, AUTHOR],
});

/** The accounts of a selection, and those at the other end of their edges. */
const usersOfDataset: ExportTable = {
  ...exportTables.users,
  belongsTo: (set) => `u.id in (
    select id from ${set}
    union select follower_id from follows where followee_id in (select id from ${set})
    union select followee_id from follows where follower_id in (select id from ${set})
    union select follower_id from follow_history where followee_id in (select id from ${set})
    union select followee_id from follow_history where follower_id in (select id from ${set})
  )`,
};

/** The tables of a dataset, in the order of its README. */
export const DATASET_TABLES: readonly DatasetTable[] = [
  {
    name: 'users',
    table: usersOfDataset,
    group: 'data',
    primaryKey: ['rest_id'],
    isTimeless: true,
  },
  { name: 'tweets', table: exportTables.tweets, group: 'data', primaryKey: ['rest_id'], foreignKeys: [AUTHOR] },
  {
    name: 'follows',
    table: exportTables.follows,
    group: 'data',
    primaryKey: EDGE.map(({ column }) => column),
    foreignKeys: EDGE,
  },
  { name: 'replies', table: exportTables.replies, group: 'data', foreignKeys: [refer('rest_id', 'tweets'), AUTHOR] },
  { ...tweetPart('mentions', 'mentioned'), wholeForeignKeys: [refer('mentioned_rest_id', 'users')] },
  tweetPart('hashtags', 'tag'),
  tweetPart('links', 'url'),
  tweetPart('media', 'position'),
  {
    name: 'user_history',
    table: userHistoryTable,
    group: 'data',
    isTimeless: true,
    foreignKeys: [refer('rest_id', 'users')],
  },
  {
    name: 'tweet_history',
    table: tweetHistoryTable,
    group: 'data',
    foreignKeys: [refer('rest_id', 'tweets')],
  },
  { name: 'follow_history', table: followHistoryTable, group: 'data', foreignKeys: EDGE },
  {
    name: 'communities',
    table: communitiesTable,
    group: 'data',
    primaryKey: ['rest_id'],
    isTimeless: true,
  },
  {
    name: 'community_tweets',
    table: communityTweetsTable,
    group: 'data',
    primaryKey: ['community_rest_id', 'tweet_rest_id'],
    foreignKeys: [refer('community_rest_id', 'communities'), TWEET],
  },
  {
    name: 'lists',
    table: listsTable,
    group: 'data',
    primaryKey: ['rest_id'],
    isTimeless: true,
  },
  {
    name: 'list_tweets',
    table: listTweetsTable,
    group: 'data',
    primaryKey: ['list_rest_id', 'tweet_rest_id'],
    foreignKeys: [refer('list_rest_id', 'lists'), TWEET],
  },
  { name: 'searches', table: searchesTable, group: 'data', primaryKey: ['query'], isTimeless: true },
  {
    name: 'search_hits',
    table: searchHitsTable,
    group: 'data',
    primaryKey: ['query', 'tweet_rest_id'],
    foreignKeys: [refer('query', 'searches', 'query'), TWEET],
  },
  { name: 'coverage', table: exportTables.coverage, group: 'coverage' },
  { name: 'completeness', table: completenessTable, group: 'coverage', isTimeless: true },
  { name: 'crawls', table: crawlsTable, group: 'coverage', primaryKey: ['id'], isTimeless: true },
];

/** The selection that applies to a table. */
export const selectFor = ({ isTimeless }: DatasetTable, selection: Selection): Selection =>
  isTimeless ? { ...selection, since: undefined, until: undefined } : selection;
