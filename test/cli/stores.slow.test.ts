import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openQuery } from '#analysis/sql/sql-query.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { valueOf } from '../e2e/support.ts';
import { runCli, failure } from '../support/cli.ts';
import { asNobody } from '../support/nobody.ts';
import { tempDir, tempFile } from '../support/temp.ts';

/** Commands that only read a store. */
const READERS = [
  ['status'],
  ['crawls'],
  ['crawls', 'show', '1'],
  ['coverage', 'nasa'],
  ['quota', '--by', 'kind'],
  ['rejects'],
  ['schedule', 'list'],
  ['twin', 'keys', 'list'],
];

/** Commands that write to an existing store. */
const WRITERS = [
  ['crawls', 'cancel', '1'],
  ['twin', 'keys', 'create'],
  ['rebuild', '--rejects'],
  ['rebuild'],
  ['twin', 'serve', '--listen', '127.0.0.1:0'],
];

const PROSE = 'This is a text, and it is no database at all. '.repeat(20);

/** Creates a store, and runs a statement on it. */
function createStore(sql = 'select 1'): string {
  const file = tempFile('mine.db');
  const { $client } = openDatabase(file);
  $client.exec(sql);
  $client.close();
  return file;
}

function createProse(): string {
  const file = tempFile('notes.txt');
  writeFileSync(file, PROSE);
  return file;
}

function createOtherDatabase(): string {
  const file = tempFile('other.db');
  openConnection(file).exec('create table t (a)').close();
  return file;
}

function createTruncatedStore(): string {
  const file = createStore();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length / 2));
  return file;
}

const EARLIER =
  'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)';
const BEFORE = 'update __drizzle_migrations set created_at = 1';
const LATER = "insert into __drizzle_migrations (hash, created_at) values ('later', 9e14)";
const NO_STORE = 'is not a database of trawl\n  Name another file with --db or TRAWL_DB.\n';
const RESTORE = '  Restore the backup; `sqlite3` and its .recover save what can be read of this file.\n';
const MIGRATE = 'Make a backup first. `trawl work --db DB` migrates it, as does any other command that writes.';
const SOME = [...READERS, ...WRITERS];
const ALL = [...SOME, ['enqueue', 'profile', 'nasa'], ['sql', 'select * from users']];

test.each([
  [
    'an earlier store',
    () => createStore(EARLIER),
    READERS,
    `was created by an earlier version of trawl\n  ${MIGRATE}\n`,
  ],
  [
    'a store from before the first migration',
    () => createStore(BEFORE),
    SOME,
    'was made by a development version of trawl before 0.2, and has an incompatible schema\n' +
      '  Name another file with --db or TRAWL_DB, and crawl again. The file was not changed.\n',
  ],
  ['a text, which is no store,', createProse, SOME, NO_STORE],
  ['a database of another program', createOtherDatabase, SOME, NO_STORE],
  ['a truncated store', createTruncatedStore, ALL, `is damaged\n${RESTORE}`],
  ['a folder', tempDir, ALL, 'is a folder, not a database\n  Name a file in it with --db or TRAWL_DB.\n'],
])('%s is reported by all commands in the same way', async (_, create, commands, message) => {
  const db = create();
  const results = await Promise.all(commands.map(async (args) => ({ args, ...(await runCli([...args, '--db', db])) })));
  const stderr = `trawl: ${db} ${message.replace('DB`', `${db}\``)}`;
  expect(results).toEqual(commands.map((args) => ({ args, code: 1, stdout: '', stderr })));
});

test('a missing database is reported by all commands, and none creates it', async () => {
  const db = tempFile('none.db');
  const file = tempFile('users.csv');
  const more = [
    'panel',
    'panel show stars',
    'panel add stars nasa',
    'twin keys revoke 1',
    `export users -o ${file}`,
    `backup ${file}`,
  ];
  for (const args of [...SOME, ...more.map((words) => words.split(' '))])
    expect(await runCli([...args, '--db', db])).toMatchObject(failure(1, `there is no database ${db}\n`));
  expect([db, file].filter((path) => existsSync(path))).toEqual([]);
});

test('a store of a later version is neither read nor written', async () => {
  const db = createStore(LATER);
  expect((await runCli(['crawls --db', db])).stderr).toContain(`${db} was made by a later version of trawl\n`);
  expect(await runCli(['enqueue profile nasa --db', db])).toMatchObject({
    code: 1,
    stderr:
      `trawl: ${db} was made by a later version of trawl\n` +
      '  Update trawl to use it, or name another file with --db. Downgrading is not supported.\n',
  });
  expect(valueOf(db, 'select count(*) from crawls')).toBe(0);
});

test.each([
  ['a truncated store', createTruncatedStore, `is damaged\n          ${RESTORE}`],
  ['a text', createProse, 'is not a database of trawl\n            Name another file with --db or TRAWL_DB.\n'],
])('trawl doctor reports %s once, with its hint', async (_, create, message) => {
  const db = create();
  const { code, stdout } = await runCli(['doctor --db', db]);
  expect(code).toBe(1);
  expect(stdout).toContain(`✗ database  ${db} ${message}· fields    not checked: the database cannot be read\n`);
});

test('trawl doctor reports the first damaged page of a store and what to do, and skips checks of rows', async () => {
  const db =
    createStore(`insert into _settings (key, value) with recursive n(i) as (select 1 union all select i + 1 from n
    where i < 2000) select 'key ' || i, hex(randomblob(100)) from n`);
  const page = valueOf(db, "select max(pageno) from dbstat where name = '_settings'");
  const bytes = readFileSync(db);
  writeFileSync(db, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const { code, stdout } = await runCli(['doctor --db', db]);
  expect(code).toBe(1);
  expect(stdout.slice(stdout.indexOf('✗ database'), stdout.indexOf('redis') - 2)).toMatch(
    new RegExp(
      `^✗ database  ${db} is damaged: [^*]+\\n +Restore the backup; .+\\n· fields    not checked: the database cannot be read\\n· jobs      not checked: the database cannot be read\\n· erasures  not checked: the database cannot be read\\n$`,
    ),
  );
});

test('trawl doctor reports a store without pages instead of valid pages', async () => {
  const { stdout } = await runCli(['doctor --db', createStore()]);
  expect(stdout).toContain('· fields    no page is stored yet\n');
});

test('a store in a read-only directory is reported, for reading and for writing', async () => {
  const db = createStore();
  const folder = dirname(db);
  chmodSync(db, 0o444);
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
  const says = `${db} may not be written to, nor beside, by this user`;
  await asNobody(async () => {
    await expect(readStore(db, ({ $client }) => $client.pragma('user_version'))).rejects.toThrow(says);
    expect(() => openDatabase(db)).toThrow(says);
    expect(() => openQuery({ db, sql: 'select 1 from users' })).toThrow(says);
  });
});

test('a store that cannot be opened is not reported as an error of a job file', async () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'stale.yaml'), 'every: 1h\nkind: profile\ntargets: { sql: select 1 }\n');
  const db = createProse();
  const stderr = `trawl: ${db} ${NO_STORE}`;
  expect(await runCli(['schedule sync', folder, '--db', db])).toMatchObject({ code: 1, stderr });
});

test('trawl twin world create says why it cannot create the file', async () => {
  const db = join(createProse(), 'world.db');
  expect(await runCli(['twin world create --users 5 --db', db])).toMatchObject(
    failure(1, `trawl: cannot open the database ${db}: `),
  );
});
