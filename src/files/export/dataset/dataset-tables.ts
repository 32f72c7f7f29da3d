import { InvariantError } from '#base/errors.ts';
import type { Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import { readTable, type TableRows } from '#files/export/table-file.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import type { ExportTable } from '#files/export/tables/table-definition.ts';
import { TWEET_LISTS } from '#store/relations/list-relations.ts';
import { completenessTable, crawlsTable } from './tables/dataset-crawls.ts';
import { createListTable, groupTables } from './tables/dataset-groups.ts';
import { followHistoryTable, tweetHistoryTable, userHistoryTable } from './tables/dataset-history.ts';

/** A column whose values are those of a column of another table. */
export interface ForeignKey {
  readonly column: string;
  readonly to: { readonly table: string; readonly column: string };
}

/** A table of a dataset. */
export interface DatasetTable extends ExportTable {
  /** What is known about the rows of the other tables. It is always CSV, for readers without a program. */
  readonly isCoverage?: true;
  /** The columns that identify a row; undefined if one may be missing. */
  readonly primaryKey?: readonly string[];
  /** A column of the key whose texts have no maximum length: indexes of databases hold short values only. */
  readonly longColumn?: string;
  /** The column with the account that owns a row, by which tables are partitioned. */
  readonly ownerColumn?: string;
  readonly foreignKeys?: readonly ForeignKey[];
  /** A range of time does not restrict it: its rows belong to rows of other tables. */
  readonly isTimeless?: true;
}

const refer = (column: string, table: string, to = 'rest_id'): ForeignKey => ({ column, to: { table, column: to } });

const TWEET = refer('tweet_rest_id', 'tweets');
const AUTHOR = refer('author_rest_id', 'users');
const EDGES = {
  foreignKeys: [refer('follower_rest_id', 'users'), refer('followee_rest_id', 'users')],
  ownerColumn: 'follower_rest_id',
};

/** A table of the parts of tweets. */
const tweetPart = (name: 'mentions' | 'hashtags' | 'links' | 'media', part: string): DatasetTable => ({
  ...exportTables[name],
  primaryKey: ['tweet_rest_id', part],
  foreignKeys: [TWEET, AUTHOR],
  ownerColumn: AUTHOR.column,
  ...(part !== 'position' && { longColumn: part }),
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
  { ...usersOfDataset, primaryKey: ['rest_id'], ownerColumn: 'rest_id', isTimeless: true },
  { ...exportTables.tweets, primaryKey: ['rest_id'], foreignKeys: [AUTHOR], ownerColumn: AUTHOR.column },
  { ...exportTables.follows, ...EDGES, primaryKey: EDGES.foreignKeys.map(({ column }) => column) },
  { ...exportTables.replies, foreignKeys: [refer('rest_id', 'tweets'), AUTHOR], ownerColumn: AUTHOR.column },
  tweetPart('mentions', 'mentioned'),
  tweetPart('hashtags', 'tag'),
  tweetPart('links', 'url'),
  tweetPart('media', 'position'),
  { ...userHistoryTable, isTimeless: true, foreignKeys: [refer('rest_id', 'users')], ownerColumn: 'rest_id' },
  { ...tweetHistoryTable, foreignKeys: [refer('rest_id', 'tweets')] },
  { ...followHistoryTable, ...EDGES },
  ...groupTables.map((table) => ({ ...table, primaryKey: [table.columns[0]!.name], isTimeless: true }) as const),
  ...TWEET_LISTS.flatMap(createListTable).map(({ exported, list, owners, target }) => ({
    ...exported,
    primaryKey: [list, TWEET.column],
    // A dataset of accounts has no tweets of others.
    foreignKeys: [refer(list, owners, target), ...(owners === 'users' ? [] : [TWEET])],
  })),
  { ...exportTables.coverage, isCoverage: true },
  { ...completenessTable, isCoverage: true, isTimeless: true },
  { ...crawlsTable, isCoverage: true, primaryKey: ['id'], isTimeless: true },
];

/** Prepares the selected rows of a table of a dataset. @param pseudonyms replaces identities */
export function readDatasetTable(
  snapshot: Snapshot,
  table: DatasetTable,
  selection: Selection,
  pseudonyms?: Pseudonyms,
): TableRows {
  const times = table.isTimeless ? { since: undefined, until: undefined } : {};
  return readTable(snapshot, table, { ...selection, ...times }, pseudonyms);
}

/** @throws InvariantError for another name */
export function findDatasetTable(name: string): DatasetTable {
  const table = DATASET_TABLES.find((each) => each.name === name);
  if (table) return table;
  throw new InvariantError(`a dataset has no table ${name}`);
}
