import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openQuery } from '../../src/analysis/sql/query.ts';
import { readStore } from '../../src/cli/shared/existing-store.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { valueOf } from '../e2e/support.ts';
import { runCli, failure } from '../support/cli.ts';
import { asNobody } from '../support/nobody.ts';
import { tempDir, tempFile } from '../support/temp.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Every command that looks into a store and changes nothing. */
const READERS = [
  ['status'],
  ['crawls'],
  ['crawls', 'show', '1'],
  ['coverage', 'nasa'],
  ['quota', '--by', 'kind'],
  ['rejects'],
  ['schedule', 'list'],
  ['keys', 'list'],
];

/** And those that need one to write to. */
const WRITERS = [
  ['crawls', 'cancel', '1'],
  ['keys', 'create'],
  ['rejects', 'retry'],
  ['rebuild'],
  ['serve', '--listen', '127.0.0.1:0'],
];

const PROSE = 'This is a text, and it is no database at all. '.repeat(20);

/** A store, changed by a statement. */
function storeAfter(sql: string): string {
  const file = tempFile('mine.db');
  const { $client } = openDatabase(file);
  $client.exec(sql);
  $client.close();
  return file;
}

const EARLIER =
  'delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)';
const LATER = "insert into __drizzle_migrations (hash, created_at) values ('later', 9e14)";

/** What each of the commands does with a store. */
const each = (commands: readonly string[][], db: string) =>
  Promise.all(commands.map(async (args) => ({ args, ...(await runCli([...args, '--db', db])) })));

test('all read-only commands report a store of an earlier version in the same way', async () => {
  const db = storeAfter(EARLIER);
  const says =
    `trawl: ${db} was created by an earlier version of trawl\n` +
    `  Make a backup; then any command that writes, such as \`trawl work --db ${db}\`, migrates it first.\n`;
  expect(await each(READERS, db)).toEqual(READERS.map((args) => ({ args, code: 1, stdout: '', stderr: says })));
});

test('a store of a later version is neither read nor written', async () => {
  const db = storeAfter(LATER);
  expect((await runCli(['crawls', '--db', db])).stderr).toContain(`${db} was made by a later version of trawl\n`);
  const { code, stderr } = await runCli(['enqueue', 'profile', 'nasa', '--db', db]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      `trawl: ${db} was made by a later version of trawl\n` +
      '  Update trawl to use it, or name another file with --db. Downgrading is not supported.\n',
  });
  expect(valueOf(db, 'select count(*) from crawls')).toBe(0);
});

test.each([
  ['a text', (file: string) => writeFileSync(file, PROSE)],
  ['the database of another program', (file: string) => void new Database(file).exec('create table t (a)').close()],
])('all commands report %s, which is no store', async (_, make) => {
  const db = tempFile('other.db');
  make(db);
  const commands = [...READERS, ...WRITERS];
  const says = `trawl: ${db} is not a database of trawl\n  Name another file with --db or TRAWL_DB.\n`;
  expect(await each(commands, db)).toEqual(commands.map((args) => ({ args, code: 1, stdout: '', stderr: says })));
});

const RESTORE = '  Restore the backup; `sqlite3` and its .recover save what can be read of this file.\n';

test('all commands report a truncated store as damaged', async () => {
  const db = storeAfter('select 1');
  const bytes = readFileSync(db);
  writeFileSync(db, bytes.subarray(0, bytes.length / 2));
  const commands = [...READERS, ...WRITERS, ['enqueue', 'profile', 'nasa'], ['sql', 'select * from users']];
  const says = `trawl: ${db} is damaged\n${RESTORE}`;
  expect(await each(commands, db)).toEqual(commands.map((args) => ({ args, code: 1, stdout: '', stderr: says })));
  expect((await runCli(['doctor', '--db', db])).stdout).toContain(
    `✗ database  ${db} is damaged\n          ${RESTORE}· fields    not checked: the database cannot be read\n`,
  );
});

test('trawl doctor reports the first damaged page of a store and what to do, and skips checks of rows', async () => {
  const db =
    storeAfter(`insert into _settings (key, value) with recursive n(i) as (select 1 union all select i + 1 from n
    where i < 2000) select 'key ' || i, hex(randomblob(100)) from n`);
  const page = valueOf(db, "select max(pageno) from dbstat where name = '_settings'");
  const bytes = readFileSync(db);
  writeFileSync(db, bytes.fill(0xff, (page - 1) * 4096, page * 4096));
  const { code, stdout } = await runCli(['doctor', '--db', db]);
  expect(code).toBe(1);
  const told = stdout.slice(stdout.indexOf('✗ database'), stdout.indexOf('redis') - 2);
  expect(told).toMatch(
    new RegExp(
      `^✗ database  ${db} is damaged: [^*]+\\n +Restore the backup; .+\\n· fields    not checked: the database cannot be read\\n· jobs      not checked: the database cannot be read\\n$`,
    ),
  );
});

test('trawl doctor reports a store without pages instead of valid pages', async () => {
  const { stdout } = await runCli(['doctor', '--db', storeAfter('select 1')]);
  expect(stdout).toContain('· fields    no page is stored yet\n');
});

test('all commands report a directory in place of the database', async () => {
  const db = tempDir();
  const commands = [...READERS, ...WRITERS, ['enqueue', 'profile', 'nasa'], ['sql', 'select 1']];
  const says = `trawl: ${db} is a folder, not a database\n  Name a file in it with --db or TRAWL_DB.\n`;
  expect(await each(commands, db)).toEqual(commands.map((args) => ({ args, code: 1, stdout: '', stderr: says })));
});

test('a store in a read-only directory is reported, for reading and for writing', async () => {
  const db = storeAfter('select 1');
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

test('trawl doctor reports an unreadable store once, with its hint', async () => {
  const db = tempFile('notes.txt');
  writeFileSync(db, PROSE);
  const { code, stdout } = await runCli(['doctor', '--db', db]);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `✗ database  ${db} is not a database of trawl\n            Name another file with --db or TRAWL_DB.\n` +
      '· fields    not checked: the database cannot be read\n',
  );
});

test('a store that cannot be opened is not reported as an error of a job file', async () => {
  const folder = tempDir();
  writeFileSync(join(folder, 'stale.yaml'), 'every: 1h\nkind: profile\ntargets: { sql: select 1 }\n');
  const db = tempFile('notes.txt');
  writeFileSync(db, PROSE);
  const { code, stderr } = await runCli(['schedule', 'sync', folder, '--db', db]);
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: `trawl: ${db} is not a database of trawl\n  Name another file with --db or TRAWL_DB.\n`,
  });
});

test('trawl world create says why it cannot create the file', async () => {
  const db = join(tempFile('notes.txt'), 'world.db');
  writeFileSync(dirname(db), PROSE);
  expect(await runCli(['world', 'create', '--users', '5', '--db', db])).toMatchObject(
    failure(1, `trawl: cannot open the database ${db}: `),
  );
});
