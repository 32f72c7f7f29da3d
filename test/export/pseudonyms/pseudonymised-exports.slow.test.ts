import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { DATASET_TABLES } from '#files/export/dataset/dataset-tables.ts';
import { NETWORK_NAMES } from '#files/export/graph/networks.ts';
import { contentOf } from '#files/export/pseudonyms/column-contents.ts';
import { pseudonymiseResult } from '#files/export/pseudonyms/pseudonymise-result.ts';
import { createPseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import { openSnapshot } from '#files/export/snapshot.ts';
import { readTable } from '#files/export/table-file.ts';
import { exportTables } from '#files/export/tables/export-tables.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { rowsOf, serve } from '../../e2e/support.ts';
import { withCrawledStore } from '../../queries/crawled-store.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { openTables } from '../../support/tables.ts';
import { createTempDir } from '../../support/temp.ts';
import { collectFile } from '../collect.ts';
import { findBrokenKeys } from '../dataset/support.ts';
import { createIdentityScan, findPeople, type IdentityScan } from './identity-scan.ts';

/** Every export of a store that was crawled, with pseudonyms: nobody of the world is in its bytes. */

const store = withCrawledStore();
const directory = createTempDir();
afterAll(() => directory[Symbol.dispose]());
const [KEY, OTHER_KEY] = ['a.key', 'b.key'].map((name) => join(directory.path, 'keys', name)) as [string, string];
const TABLES = Object.keys(exportTables);
const FORMATS = ['csv', 'xlsx', 'jsonl', 'parquet'];

let prepared: Promise<{ db: string; scan: IdentityScan }> | undefined;

/** Crawls a community and a list besides, at the first call, in a test. */
const prepare = () =>
  (prepared ??= (async () => {
    const db = await store.file();
    const { env } = await serve(store.world);
    for (const [kind, table] of [
      ['community', 'communities'],
      ['list', 'lists'],
    ] as const) {
      const [group] = store.ofWorld<{ id: string }>(`select rest_id as id from ${table}`);
      await runSuccessfully(['crawl', kind, group!.id, '--db', db, '--quiet'], { env });
    }
    // What people write about their jobs may name accounts.
    using connection = openDatabase(db);
    const purpose = `update _scheduled_jobs set definition = json_set(definition, '$.purpose', 'To watch @HarbourNews')`;
    expect(connection.$client.prepare(purpose).run().changes).toBeGreaterThan(0);
    return { db, scan: createIdentityScan([db, store.world.file]) };
  })());

/** Runs an export into a folder with a key. Returns the folder. */
async function exportTo(
  folder: string,
  file: string,
  args: readonly string[],
  key: string | undefined = KEY,
): Promise<string> {
  const path = join(directory.path, folder);
  mkdirSync(path, { recursive: true });
  const pseudonyms = key === undefined ? [] : ['--pseudonymise', '--key-file', key];
  await runSuccessfully([...args, '-o', join(path, file), ...pseudonyms, '--db', (await prepare()).db]);
  return path;
}

test('the scan finds people in files of all formats that have no pseudonyms', async () => {
  const { scan } = await prepare();
  expect(scan.size).toBeGreaterThan(1000);
  for (const format of FORMATS) {
    const path = join(directory.path, `plain-${format}`);
    mkdirSync(path);
    await runSuccessfully(['export', 'users', '-o', join(path, `users.${format}`), '--db', (await prepare()).db]);
    expect((await findPeople(path, scan)).length).toBe(2);
  }
});

// Users in each format, every other table in one: pseudonyms replace values before a format writes them.
const EXPORTS = TABLES.flatMap((table, i) =>
  table === 'users' ? FORMATS.map((format) => [table, format]) : [[table, FORMATS[i % FORMATS.length]]],
);

test.each(EXPORTS)('%s have no person of the world in %s', async (table, format) => {
  const { scan } = await prepare();
  const folder = await exportTo(`${table}-${format}`, `rows.${format}`, ['export', table!]);
  expect(await findPeople(folder, scan)).toEqual([]);
});

test.each(NETWORK_NAMES)('a network of %s has no person of the world', async (network) => {
  const { scan } = await prepare();
  const ego = ['--accounts', 'HarbourNews'];
  const path = await exportTo(network, 'all.gexf', ['export', 'graph', network]);
  await exportTo(network, 'some.csv', ['export', 'graph', network, ...ego]);
  expect(await findPeople(path, scan)).toEqual([]);
});

test('a dataset has no person of the world in any file', async () => {
  const { scan } = await prepare();
  const some = ['--accounts', 'HarbourNews,nightsky_now', '--include-deleted'];
  const path = await exportTo('datasets', 'all', ['export', 'dataset', '--format', 'csv']);
  await exportTo('datasets', 'some', ['export', 'dataset', '--format', 'parquet', ...some]);
  expect(await findPeople(path, scan)).toEqual([]);
});

test('exports with the same key join like the rows that they replace, and those with other keys do not', async () => {
  const { db } = await prepare();
  const users = join(await exportTo('join-1', 'users.parquet', ['export', 'users']), 'users.parquet');
  const follows = join(await exportTo('join-2', 'follows.csv', ['export', 'follows']), 'follows.csv');
  const mentions = join(await exportTo('join-3', 'mentions.csv', ['export', 'mentions']), 'mentions.csv');
  const others = join(await exportTo('join-4', 'users.parquet', ['export', 'users'], OTHER_KEY), 'users.parquet');
  const dataset = join(await exportTo('join-5', 'dataset', ['export', 'dataset']), 'dataset');
  const ask = await openTables({
    users: [users],
    follows: [follows],
    mentions: [mentions],
    others: [others],
    of_dataset: [join(dataset, 'data/users.parquet')],
  });
  const count = (from: string): unknown => ask(`select count(*) from ${from}`)[0]![0];
  const [plain] = rowsOf<Record<'followees' | 'mentions' | 'users', number>>(
    db,
    `select (select count(*) from v_follows f join users u on u.rest_id = f.followee_rest_id join users r on r.screen_name = f.follower
         where f.followee_rest_id not in (select rest_id from v_unavailable_accounts)
           and f.follower_rest_id not in (select rest_id from v_unavailable_accounts)) as followees,
       (select count(*) from tweet_mentions m join users u on u.screen_name = m.screen_name collate nocase
         join v_tweets t on t.id = m.tweet_id where coalesce(t.deletion_state, '') <> 'deleted'
           and u.rest_id not in (select rest_id from v_unavailable_accounts)
           and t.author_rest_id not in (select rest_id from v_unavailable_accounts)) as mentions,
       (select count(*) from users where rest_id not in (select rest_id from v_unavailable_accounts)) as users`,
  );
  expect(plain!.followees).toBeGreaterThan(100);
  expect(plain!.mentions).toBeGreaterThan(10);
  expect(
    count('follows f join users u on u.rest_id = f.followee_rest_id join users r on r.screen_name = f.follower'),
  ).toBe(plain!.followees);
  expect(count('mentions m join users u on u.screen_name = m.mentioned')).toBe(plain!.mentions);
  expect(count('users where (rest_id, screen_name) in (select rest_id, screen_name from of_dataset)')).toBe(
    plain!.users,
  );
  expect(count('users u join others o on o.rest_id = u.rest_id or o.screen_name = u.screen_name')).toBe(0);
  expect(await findBrokenKeys(dataset)).toEqual([]);
});

test('a file left with one column of a table names people, whichever column it is', async () => {
  const { db, scan } = await prepare();
  const pseudonyms = createPseudonyms({ key: randomBytes(32), keepsText: false });
  using snapshot = openSnapshot(db);
  const missed: string[] = [];
  for (const table of DATASET_TABLES) {
    const { name } = table;
    const stored = readTable(snapshot, table, { includeDeleted: true });
    const replaced = pseudonymiseResult(name, stored, pseudonyms);
    for (const [i, column] of stored.columns.entries()) {
      // Hashtags, options, names of jobs and numbers of crawls are no identities of people by themselves.
      if (
        ['value', 'hashtag', 'job', 'crawl', 'search'].includes(contentOf(name, column.name)) ||
        column.name === 'options'
      )
        continue;
      const left = Array.from(stored.rows, (row) => row[i]!);
      if (left.every((value) => value === null || value === '')) continue;
      // The mutant: all columns but this one are replaced.
      const rows = Array.from(replaced.rows, (row, r) => [...row, left[r]!]);
      const bytes = await collectFile('jsonl', {
        columns: [...replaced.columns, { name: `left_${i}`, type: 'text' }],
        rows,
      });
      if (scan.find(bytes.toString()).length === 0) missed.push(`${name}.${column.name}`);
    }
  }
  // Places are not among what the scan looks for.
  expect(missed.filter((column) => !/\.(location|cover_image_url)$/.test(column))).toEqual([]);
});

test('with --keep-text, texts have neither mentions nor ids nor addresses, and the sidecar names the risk', async () => {
  const { db } = await prepare();
  const folder = await exportTo('kept', 'tweets.jsonl', ['export', 'tweets', '--keep-text']);
  const text = readFileSync(join(folder, 'tweets.jsonl'), 'utf8');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text: string });
  expect(rows.filter((row) => /@h_[a-z]{24}/.test(row.text)).length).toBeGreaterThan(10);
  expect(text).not.toMatch(/https?:/);
  const mentioned = rowsOf<{ handle: string }>(db, 'select distinct screen_name as handle from tweet_mentions');
  const folded = text.toLowerCase();
  expect(mentioned.filter(({ handle }) => folded.includes(`@${handle}`))).toEqual([]);
  const ids = rowsOf<{ id: string }>(
    db,
    'select rest_id as id from tweets union select rest_id from users where length(rest_id) > 8',
  );
  expect(ids.filter(({ id }) => text.includes(id))).toEqual([]);
  const sidecar = JSON.parse(readFileSync(join(folder, 'tweets.jsonl.meta.json'), 'utf8')) as {
    pseudonyms: { risks: string[] };
  };
  expect(sidecar.pseudonyms.risks[0]).toContain('a search for the words of a tweet finds the tweet');
});

test('a statement sees pseudonyms only, whatever it computes', async () => {
  const { db, scan } = await prepare();
  const statements = [
    'select * from v_users',
    'select * from v_tweets',
    'select * from v_crawls',
    'select * from v_completeness',
    'select upper(screen_name) as a, cast(rest_id as integer) as b, substr(rest_id, 2) as c from users',
    'select type as a from users union all select screen_name from users union select author from v_tweets',
    "select json_group_array(json_object('id', rest_id, 'handle', screen_name)) as everything from users",
    'select group_concat(mentioned) as a, max(author) as b from v_mentions',
    'with recursive x(a) as (select rest_id from users union select screen_name from users) select a from x',
    'select (select screen_name from users u where u.id = t.author_id) as a from tweets t order by t.id',
    'select temp.users.screen_name as a from temp.users',
  ];
  for (const [i, sql] of statements.entries()) {
    const folder = await exportTo(`sql-${i}`, 'rows.csv', ['sql', sql]);
    expect(await findPeople(folder, scan), sql).toEqual([]);
    expect(readFileSync(join(folder, 'rows.csv'), 'utf8').split('\n').length).toBeGreaterThan(1);
  }
  const refused = [
    ['select * from main.users', 'no such table: main.users'],
    ['select * from raw_pages', 'the table raw_pages is not readable'],
    ["select * from users_fts where users_fts match 'news'", 'the table users_fts is not readable'],
    ['select * from sqlite_stat4', 'tables and pragmas of SQLite are not readable'],
    ['select name from users', 'no such column: name'],
    ["select count(*) filter (where screen_name = 'nasa') from users", 'is called by its expression'],
    ['select id from users', 'only numbers of rows'],
  ];
  for (const [sql, message] of refused) {
    const args = ['sql', sql!, '--pseudonymise', '--key-file', KEY, '-f', 'csv', '--db', db];
    expect(await runCli(args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message!) as string,
    });
  }
  const found = `select count(*) as n from users where screen_name = pseudonym('handle', 'HARBOURNEWS')`;
  const { stdout } = await runSuccessfully([
    'sql',
    found,
    '--pseudonymise',
    '--key-file',
    KEY,
    '-f',
    'csv',
    '--db',
    db,
  ]);
  expect(stdout).toBe('n\n1\n');
});

test('found rows have pseudonyms', async () => {
  const { scan } = await prepare();
  for (const args of [
    ['find', 'from:HarbourNews'],
    ['find', '--users', 'news'],
  ]) {
    const folder = await exportTo(`found-${args.length}`, 'found.jsonl', args);
    expect(await findPeople(folder, scan)).toEqual([]);
    expect(readFileSync(join(folder, 'found.jsonl'), 'utf8')).toMatch(/"(a|author)"?/);
  }
});

const { queries } = readCatalogue().readAll();

test('a saved query answers with pseudonyms as it does without, or says why it cannot', async () => {
  const { db, scan } = await prepare();
  const refused: string[] = [];
  for (const { name, parameters, example } of queries) {
    const values = parameters.flatMap((parameter) => {
      const value = parameter.type === 'tweet' ? store.mostAnswered() : example[parameter.name];
      return value === undefined ? [] : [`--${parameter.name.replaceAll('_', '-')}`, String(value)];
    });
    const run = (...more: string[]) => runCli(['query', 'run', name, ...values, ...more, '-f', 'jsonl', '--db', db]);
    const answer = await run('--pseudonymise', '--key-file', KEY);
    if (answer.code === 2) {
      const [reason] = /no such column|is not readable|cannot be compared/.exec(answer.stderr) ?? [answer.stderr];
      refused.push(`${name}: ${reason}`);
      continue;
    }
    const plain = await run();
    expect([name, answer.code, answer.stdout.split('\n').length]).toEqual([
      name,
      plain.code,
      plain.stdout.split('\n').length,
    ]);
    expect([name, ...scan.find(answer.stdout)]).toEqual([name]);
  }
  // They compare texts, list values of any column, or read raw pages.
  expect(refused.toSorted()).toEqual([
    'cohashtags: cannot be compared',
    'edited-tweets: no such column',
    'handle-owners: cannot be compared',
    'profile-changes: no such column',
    'response-headers: is not readable',
    'restored: no such column',
    'search-biographies: cannot be compared',
    'search-tweets: cannot be compared',
  ]);
});
