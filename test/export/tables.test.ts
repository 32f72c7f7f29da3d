import { expect, test } from 'vitest';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { readTable } from '#files/export/table-file.ts';
import { countHiddenRows } from '#files/export/table-query.ts';
import { exportTables, type TableName } from '#files/export/tables/export-tables.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { withWorld } from '../e2e/support.ts';
import { ADA, createKnownStore, jan, readRows, snapshotOf } from './support.ts';

const world = withWorld(60, 7);
const NAMES = Object.keys(exportTables) as TableName[];

/** The number of rows that each table should have, counted without the code of exports. */
const COUNTS: Readonly<Record<TableName, string>> = {
  users: 'select count(*) from users',
  tweets: 'select count(*) from tweets',
  follows: 'select count(*) from follows',
  replies: 'select count(*) from v_replies',
  mentions: 'select count(*) from v_mentions',
  hashtags: 'select count(*) from tweet_hashtags',
  links: 'select count(*) from tweet_links',
  media: 'select count(*) from media',
  coverage:
    'select (select count(*) from coverage) + (select count(*) from gaps) + (select count(*) from _list_snapshots) + (select count(*) from _search_windows)',
};

test.each(NAMES)('%s of a world has all rows, each once, in the same order on every reading', (name) => {
  const snapshot = snapshotOf(world.file);
  const result = readTable(snapshot, exportTables[name], {});
  const rows = Array.from(result.rows, (row) => JSON.stringify(row));
  expect(rows).toHaveLength(world.db.$client.prepare<[], number>(COUNTS[name]).pluck().get()!);
  expect(new Set(rows).size).toBe(rows.length);
  expect(Array.from(result.rows, (row) => JSON.stringify(row))).toEqual(rows);
  expect(name === 'coverage' || rows.length > 0).toBe(true);
});

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isInteger,
  real: (value) => typeof value === 'number',
  boolean: (value) => value === 0 || value === 1,
  timestamp: Number.isInteger,
};

test('every value has the type of its column, and ids are text', () => {
  const snapshot = snapshotOf(createKnownStore());
  const wrong = NAMES.flatMap((name) => {
    const { columns, rows } = readTable(snapshot, exportTables[name], { includeDeleted: true });
    return Array.from(rows).flatMap((row) =>
      columns
        .filter(({ type }, i) => row[i] !== null && !IS_OF_TYPE[type]!(row[i]))
        .map((column) => `${name}.${column.name}`),
    );
  });
  expect(wrong).toEqual([]);
  const ids = NAMES.flatMap((name) => exportTables[name].columns.filter((column) => column.name.endsWith('rest_id')));
  expect(new Set(ids.map(({ type }) => type))).toEqual(new Set(['text']));
  expect(readRows(snapshot, 'users')[0]).toMatchObject({ rest_id: ADA, created_at: jan(1), verified: 1 });
});

test('replies are those of v_replies', () => {
  const snapshot = snapshotOf(world.file);
  const names = ['rest_id', 'author_rest_id', 'author', 'text', 'parent_rest_id', 'parent_author_rest_id'];
  names.push('parent_author', 'latency_seconds');
  const sorted = (rows: readonly object[]): string[] =>
    rows.map((row) => JSON.stringify(names.map((name) => (row as Record<string, unknown>)[name]))).toSorted();
  const view = world.db.$client.prepare<[], object>('select * from v_replies').all();
  expect(view.length).toBeGreaterThan(20);
  expect(sorted(readRows(snapshot, 'replies'))).toEqual(sorted(view));

  const known = createKnownStore();
  using db = openDatabase(known);
  expect(sorted(readRows(snapshotOf(known), 'replies', { includeDeleted: true }))).toEqual(
    sorted(db.$client.prepare<[], object>('select * from v_replies').all()),
  );
});

test('mentions name the account that v_mentions names', () => {
  const rows = readRows(snapshotOf(world.file), 'mentions');
  const view = world.db.$client
    .prepare<[], object>('select rest_id as tweet_rest_id, mentioned, mentioned_rest_id from v_mentions')
    .all();
  const key = (row: object): string => JSON.stringify(row);
  expect(
    rows
      .map(({ tweet_rest_id, mentioned, mentioned_rest_id }) => key({ tweet_rest_id, mentioned, mentioned_rest_id }))
      .toSorted(),
  ).toEqual(view.map(key).toSorted());
});

test('deleted tweets and unavailable accounts, with all that belongs to them, are exported only on request', () => {
  const snapshot = snapshotOf(createKnownStore());
  const ids = (name: TableName, column: string, includeDeleted = false) =>
    readRows(snapshot, name, { includeDeleted }).map((row) => row[column]);
  const hidden = (name: TableName) => countHiddenRows(snapshot, exportTables[name], {});

  expect(ids('tweets', 'rest_id')).toEqual(['101', '102', '104', '106', '107', '108']);
  expect(ids('tweets', 'rest_id', true)).toEqual(['101', '102', '103', '104', '105', '106', '107', '108']);
  expect(hidden('tweets')).toEqual({ deletedTweets: 1, unavailableAccounts: 1 });
  expect(readRows(snapshot, 'tweets', { includeDeleted: true }).map((row) => row['deletion_state'])).toEqual([
    null,
    null,
    'deleted',
    'suspected',
    null,
    null,
    null,
    null,
  ]);

  expect(ids('users', 'rest_id')).toEqual([ADA, '20', '40']);
  expect(ids('users', 'rest_id', true)).toEqual([ADA, '20', '30', '40']);
  expect(hidden('users')).toEqual({ deletedTweets: 0, unavailableAccounts: 1 });

  expect(ids('follows', 'follower_rest_id')).toEqual([ADA, '20', '40']);
  expect(hidden('follows')).toEqual({ deletedTweets: 0, unavailableAccounts: 1 });

  expect(ids('hashtags', 'tag')).toEqual(['a', 'b', 'a']);
  expect(hidden('hashtags')).toEqual({ deletedTweets: 1, unavailableAccounts: 1 });
  expect(ids('media', 'position')).toEqual([0, 1]);
  expect(ids('links', 'tweet_rest_id')).toEqual(['101']);
  expect(ids('mentions', 'mentioned')).toEqual(['bob', 'nobody']);
  // 106 was shown below two tweets; 103 is deleted.
  expect(ids('replies', 'rest_id')).toEqual(['106', '106', '107']);
});

test('the time of items has a start, which is included, and an end, which is not', () => {
  const snapshot = snapshotOf(createKnownStore());
  const tweets = (since?: number, until?: number) =>
    readRows(snapshot, 'tweets', { since, until, includeDeleted: true }).map(({ rest_id }) => rest_id);
  expect(tweets(jan(2))).toEqual(['102', '103', '104', '105', '107', '108']);
  expect(tweets(jan(2) + 1)).toEqual(['104', '105', '107', '108']);
  expect(tweets(undefined, jan(2))).toEqual(['101']);
  expect(tweets(undefined, jan(2) + 1)).toEqual(['101', '102', '103']);
  expect(tweets(jan(2), jan(3))).toEqual(['102', '103']);
  expect(readRows(snapshot, 'hashtags', { since: jan(4) })).toMatchObject([{ tweet_rest_id: '107', tag: 'a' }]);
  expect(readRows(snapshot, 'users', { until: jan(2) })).toMatchObject([{ rest_id: ADA }]);
  // An edge counts while it was seen.
  const edges = (since: number, until: number) =>
    readRows(snapshot, 'follows', { since, until }).map((row) => [row['follower'], row['followee']]);
  expect(edges(jan(2), jan(3))).toEqual([
    ['ada', 'Bob'],
    ['Bob', 'ada'],
  ]);
  expect(edges(jan(3), jan(4))).toEqual([['ada', 'Bob']]);
});

test('rows of accounts are what they wrote, edges on both sides, and their lists', () => {
  const snapshot = snapshotOf(createKnownStore());
  const of = (name: TableName, column: string, ...accountRestIds: string[]) =>
    readRows(snapshot, name, { accountRestIds }).map((row) => row[column]);
  expect(of('users', 'screen_name', '20', ADA)).toEqual(['ada', 'Bob']);
  expect(of('tweets', 'rest_id', '20')).toEqual(['104', '107', '108']);
  expect(of('replies', 'rest_id', '20')).toEqual(['107']);
  expect(of('hashtags', 'tag', ADA)).toEqual(['a', 'b']);
  expect(of('follows', 'follower', ADA)).toEqual(['ada', 'Bob']);
  expect(of('follows', 'follower_rest_id', '40')).toEqual(['40']);
  expect(of('coverage', 'part', '20')).toEqual(['gap', 'interval']);
  expect(of('coverage', 'part', ADA)).toEqual(['snapshot', 'interval']);
  expect(of('tweets', 'rest_id', 'unknown')).toEqual([]);
  expect(countHiddenRows(snapshot, exportTables.tweets, { accountRestIds: [ADA] })).toEqual({
    deletedTweets: 0,
    unavailableAccounts: 0,
  });
});

test.each(NAMES)('the statement of %s returns the same rows in trawl sql', (name) => {
  const file = createKnownStore();
  const selection = {
    since: jan(1),
    until: jan(6),
    accountRestIds: [ADA, '20', '30'],
    sample:
      name === 'coverage'
        ? undefined
        : {
            size: 2,
            seed: 'x',
          },
  };
  const { sql, parameters, rows } = readTable(snapshotOf(file), exportTables[name], selection);
  using query = openQuery({ db: file, sql, parameters: [parameters] });
  const toNumbers = (row: readonly unknown[]) =>
    row.map((value) => (typeof value === 'bigint' ? Number(value) : value));
  const again = Array.from(query.rows, toNumbers);
  expect(again.length).toBeGreaterThan(0);
  expect(again).toEqual(Array.from(rows, (row) => [...row]));
});

test.each(NAMES)('%s is read in order, without sorting whole tables', (name) => {
  const { db } = snapshotOf(world.file);
  const snapshot = snapshotOf(world.file);
  for (const selection of [{}, { accountRestIds: ['1'] }, { since: 0, until: 1 }]) {
    const { sql, parameters } = readTable(snapshot, exportTables[name], selection);
    const plan = db.$client
      .prepare<[object], { parent: number; detail: string }>(`explain query plan ${sql}`)
      .all(parameters);
    // A sort of the last column has the few rows of one tweet.
    const sorts = plan.filter(({ parent, detail }) => parent === 0 && detail === 'USE TEMP B-TREE FOR ORDER BY');
    expect(name === 'coverage' ? [] : sorts).toEqual([]);
  }
});

test('a snapshot shows the store as of its start, while others commit', () => {
  const file = createKnownStore();
  const snapshot = snapshotOf(file);
  const rows = readTable(snapshot, exportTables.tweets, {}).rows[Symbol.iterator]();
  expect(rows.next().done).toBe(false);
  using writer = openDatabase(file);
  writer.$client.exec(`
    insert into tweets (rest_id, text, first_seen_at, last_seen_at) values ('900', 'new', 1, 1);
    delete from tweets where rest_id = '107';`);
  let left = 0;
  while (!rows.next().done) left += 1;
  expect(left).toBe(5);
  expect(readRows(snapshot, 'tweets').map(({ rest_id }) => rest_id)).toContain('107');
  expect(readRows(snapshotOf(file), 'tweets').map(({ rest_id }) => rest_id)).toEqual(
    expect.arrayContaining(['101', '900']),
  );
});
