import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

vi.setConfig({ testTimeout: 120_000 });

const demo = (dir: string) => runCli(['demo', '--dir', dir, '--users', '50', '-q'], { cwd: dir });
const storeId = (file: string): unknown => {
  const db = new Database(file, { readonly: true });
  const id = db.prepare("select value from _settings where key = 'store_id'").pluck().get();
  db.close();
  return id;
};

test('a demo replaces the files of an earlier demo', async () => {
  const dir = tempDir();
  expect((await demo(dir)).code).toBe(0);
  const first = storeId(join(dir, 'crawled.db'));
  expect((await demo(dir)).code).toBe(0);
  expect(storeId(join(dir, 'crawled.db'))).not.toBe(first);
});

/** Files of a user that have the names of a demo's. */
const OWN: [string, string, (file: string) => void][] = [
  ['a store of the user', 'crawled.db', (file) => openDatabase(file).$client.close()],
  ['a world of the user', 'world.db', (file) => openDatabase(file).$client.close()],
  [
    'a database of another program',
    'world.db',
    (file) => void new Database(file).exec('create table _settings (key, value)').close(),
  ],
  ['a text', 'crawled.db', (file) => writeFileSync(file, 'my notes')],
  ['an empty file', 'crawled.db', (file) => writeFileSync(file, '')],
  ['a log without its database', 'world.db-wal', (file) => writeFileSync(file, 'pages')],
  [
    'a link to a store elsewhere',
    'crawled.db',
    (file) => {
      openDatabase(`${file}.real`).$client.close();
      symlinkSync(`${file}.real`, file);
    },
  ],
];

test.each(OWN)('the demo refuses %s before it removes anything', async (_, name, make) => {
  const dir = tempDir();
  const file = join(dir, name);
  make(file);
  const before = readFileSync(file);
  const { code, stdout, stderr } = await demo(dir);
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 2, stdout: '' },
    stderr:
      `trawl: ${file} exists and was not created by a demo of this version: nothing was replaced\n` +
      '  Choose another folder with --dir, or move that file away.\n',
  });
  expect(readFileSync(file)).toEqual(before);
});

test('the demo keeps a directory in the place of a database, and its other databases', async () => {
  const dir = tempDir();
  openDatabase(join(dir, 'world.db')).$client.exec("insert into _settings values ('made_by', 'trawl demo')").close();
  mkdirSync(join(dir, 'crawled.db'));
  expect((await demo(dir)).code).toBe(2);
  expect(existsSync(join(dir, 'world.db'))).toBe(true);
});
