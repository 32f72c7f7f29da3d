import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const demo = (dir: string) => runCli(['demo --dir', dir, '--users', '50', '-q'], { cwd: dir });
const storeId = (file: string): unknown => {
  const db = openConnection(file, { readonly: true });
  const id = db.prepare("select value from _settings where key = 'store_id'").pluck().get();
  db.close();
  return id;
};

test('the second crawl of a demo detects an unfollow, a deletion and a rename; a demo replaces an earlier one', async () => {
  const dir = tempDir();
  expect((await demo(dir)).code).toBe(0);
  const first = storeId(join(dir, 'crawled.db'));
  const args = ['demo', '--dir', dir, '--users', '120', '--seed', '2', '-q'];
  const { code, stdout, stderr } = await runCli(args, { cwd: dir });
  expect(code, stderr).toBe(0);
  expect(storeId(join(dir, 'crawled.db'))).not.toBe(first);
  const [, second] = stdout.split('4. Some time later');
  const [, unfollows, deletions, renames] =
    /^Detected in \d+ crawls: (\d+) unfollows?, (\d+) deletions?, (\d+) renames?\.$/m.exec(second!)!;
  expect(Math.min(Number(unfollows), Number(deletions), Number(renames)), stdout).toBeGreaterThan(0);
  // The printed statements give the printed rows.
  const db = openConnection(join(dir, 'crawled.db'), { readonly: true });
  const statements = [...second!.matchAll(/^ {2}select [^]*?(?=\n\n)/gm)].map(([sql]) => sql);
  expect(statements).toHaveLength(3);
  for (const sql of statements) {
    const rows = db.prepare(sql).raw().all() as string[][];
    expect(rows.length).toBeGreaterThan(0);
    for (const [first] of rows) expect(second).toContain(`\n${first!}`);
  }
  // What was detected happened in the world.
  const world = openConnection(join(dir, 'world.db'), { readonly: true });
  const edge = `select a.rest_id || ' ' || b.rest_id from follows f join users a on a.id = f.follower_id
    join users b on b.id = f.followee_id where`;
  const current = new Set(world.prepare(`${edge} f.ended_at is null`).pluck().all());
  for (const one of db.prepare(`${edge} f.ended_at is not null`).pluck().all()) expect(current).not.toContain(one);
  for (const id of db.prepare("select rest_id from v_deleted_tweets where state = 'deleted'").pluck().all())
    expect(world.prepare('select 1 from tweets where rest_id = ?').get(id)).toBeUndefined();
  db.close();
  world.close();
});

/** Files of a user that have the names of a demo's. */
const OWN: [string, string, (file: string) => void][] = [
  ['a store of the user', 'crawled.db', (file) => openDatabase(file).$client.close()],
  ['a world of the user', 'world.db', (file) => openDatabase(file).$client.close()],
  [
    'a database of another program',
    'world.db',
    (file) => void openConnection(file).exec('create table _settings (key, value)').close(),
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
    code: 2,
    stdout: '',
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
