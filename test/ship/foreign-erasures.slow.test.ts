import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openStore } from '#store/store.ts';
import { rowsOf } from '../e2e/support.ts';
import { scanFolder } from '../store/erasure/scan.ts';
import { spec } from '../store/support.ts';
import { failure, runCli, runDoctorCheck, runJson, runSuccessfully } from '../support/cli.ts';
import { choosePoints, countKills, killTrawl, listOperations } from '../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { listFactFiles } from './lake.ts';
import { forgetPerson, MENTIONS, OWN_TRACES, PERSON, storePerson } from './purged-lake.ts';
import { addLake, createShipped, ship } from './shipped-store.ts';

const TRACES = [...OWN_TRACES, ...MENTIONS];

/** A store that has forgotten the person, and a lake that has never had them. */
async function shipErasure(lake: string): Promise<string> {
  const path = tempFile('a.db');
  await storePerson(path, 1000);
  await forgetPerson(path, 'redact');
  addLake(path, lake);
  await ship(path);
  return path;
}

/** A store with the person, whose facts wait. */
async function collectPerson(lake: string, at = 2000): Promise<string> {
  const path = tempFile('b.db');
  await createShipped(path, lake);
  await storePerson(path, at);
  return path;
}

/** What the files of a lake have of the person. */
const findShipped = (lake: string): string[] => {
  const text = listFactFiles(lake)
    .map((file) => brotliDecompressSync(readFileSync(file)).toString())
    .join('');
  return TRACES.filter((trace) => text.includes(trace));
};

const ITEMS = 'select (select count(*) from users) as users, (select count(*) from tweets) as tweets';

/** The stores that have not applied an erasure of another one. */
async function listBehind(db: string): Promise<unknown[]> {
  const { targets } = await runJson<{ targets: { stores: { store: string; missingErasures: string[] }[] }[] }>([
    'lake',
    '--json',
    '--db',
    db,
  ]);
  return targets.flatMap(({ stores }) => stores.flatMap(({ store, missingErasures: of }) => of.map(() => store)));
}

const idOf = (path: string): unknown =>
  rowsOf<{ value: string }>(path, "select value from _settings where key = 'store_id'")[0]!.value;

test('an account that one database forgets is erased from another one before that ships, and does not come back', async () => {
  const lake = tempDir();
  const path = await collectPerson(lake);
  const first = await shipErasure(lake);
  expect(await listBehind(first)).toEqual([idOf(path)]);
  expect((await runCli(['lake', 'status', '--db', first])).stderr).toContain(
    `the store ${String(idOf(path))} has not applied erasures of ${String(idOf(first))}`,
  );
  await ship(path);
  expect(findShipped(lake)).toEqual([]);
  expect(scanFolder(path, TRACES)).toEqual([]);
  expect(rowsOf(path, ITEMS)).toEqual([{ users: 1, tweets: 2 }]);
  expect(await listBehind(first)).toEqual([]);
  expect(await runDoctorCheck(path, 'erasures')).toMatchObject({ finding: { status: 'ok' } });

  await expect(storePerson(path, 3000)).rejects.toThrow('forgotten account');
  expect(await runCli(['enqueue', 'timeline', `id:${PERSON.id}`, '--db', path])).toMatchObject({ code: 3 });
  // Of its own accounts, it ships erasures as before.
  await runSuccessfully(['forget', 'id:70020002', '--yes', '--quiet', '--db', path]);
  await ship(path);
  expect(await listBehind(first)).toEqual([idOf(first)]);
  await ship(first);
  expect(rowsOf(first, ITEMS)).toEqual([{ users: 0, tweets: 0 }]);
  expect(await listBehind(first)).toEqual([]);
  expect(findShipped(lake)).toEqual([]);
});

test('beside a process that has the database open, nothing of the account is shipped, and its rows are erased later', async () => {
  const lake = tempDir();
  const path = await collectPerson(lake);
  const first = await shipErasure(lake);
  {
    await using store = openStore(path);
    store.read.unfinished();
    const { stderr } = await runSuccessfully(['lake', 'ship', '--once', '--db', path]);
    expect(stderr).toContain('other databases have forgotten accounts');
    expect(findShipped(lake)).toEqual([]);
    expect(rowsOf(path, ITEMS)).toEqual([{ users: 2, tweets: 3 }]);
    expect(await listBehind(first)).toEqual([idOf(path)]);
    expect(await runDoctorCheck(path, 'erasures')).toMatchObject({ finding: { status: 'note' } });
    // Other commands are not refused, and the account is not collected.
    await runSuccessfully(['enqueue', 'followers', 'id:5', '--db', path]);
    await store.write.openCrawls([spec({ target: 'id:6' })], 2500);
    await expect(storePerson(path, 3000)).rejects.toThrow('forgotten account');
    // A snapshot for another target is without it, too.
    const other = tempDir();
    await runSuccessfully(['lake', 'add', other, '--db', path]);
    await runSuccessfully(['lake', 'ship', other, '--once', '--db', path]);
    expect(findShipped(other)).toEqual([]);
    await runSuccessfully(['lake', 'remove', other, '--db', path]);
  }
  await ship(path);
  expect(scanFolder(path, TRACES)).toEqual([]);
  expect(findShipped(lake)).toEqual([]);
  expect(await listBehind(first)).toEqual([]);
});

test('a handle that one database erases without an account is that of another one', async () => {
  const lake = tempDir();
  const path = await collectPerson(lake);
  const first = tempFile('a.db');
  await createShipped(first, lake);
  await runSuccessfully(['forget', PERSON.handle, '--mentions', 'redact', '--yes', '--quiet', '--db', first]);
  await ship(first);
  await ship(path);
  expect(findShipped(lake)).toEqual([]);
  expect(scanFolder(path, TRACES)).toEqual([]);
  // Its id reaches the database that did not know it.
  await ship(first);
  expect(await runCli(['enqueue', 'timeline', `id:${PERSON.id}`, '--db', first])).toMatchObject({ code: 3 });
});

test('a backup older than an erasure of its own ships no forgotten row', async () => {
  const lake = tempDir();
  const path = await collectPerson(lake);
  const backup = join(tempDir(), 'mine.db');
  await runSuccessfully(['backup', backup, '--db', path]);
  await forgetPerson(path, 'redact');
  await ship(path);
  expect(await runCli(['lake', 'ship', '--once', '--db', backup])).toMatchObject(
    failure(1, 'has entries of the store'),
  );
  expect(scanFolder(backup, TRACES)).toEqual([]);
  for (const command of ['remove', 'add']) await runSuccessfully(['lake', command, lake, '--db', backup]);
  await ship(backup);
  expect(rowsOf(backup, ITEMS)).toEqual([{ users: 1, tweets: 2 }]);
  expect(findShipped(lake)).toEqual([]);
  await ship(backup);
  expect(await listBehind(backup)).toEqual([]);
});

test('an erasure reaches the other lakes of a database that learns of it, and what is merged from them', async () => {
  const [lake, other] = [tempDir(), tempDir()];
  const path = await collectPerson(lake);
  addLake(path, other);
  for (const target of [other, lake]) await runSuccessfully(['lake', 'ship', target, '--once', '--db', path]);
  expect(findShipped(other)).toEqual(TRACES);
  await shipErasure(lake);
  for (const target of [lake, other]) await runSuccessfully(['lake', 'ship', target, '--once', '--db', path]);
  const merged = tempFile('all.db');
  await runSuccessfully(['lake', 'merge', other, '--db', merged, '--quiet']);
  expect(scanFolder(merged, OWN_TRACES)).toEqual([]);
  expect(rowsOf(merged, ITEMS)).toEqual([{ users: 1, tweets: 2 }]);
  expect(await runCli(['enqueue', 'timeline', `id:${PERSON.id}`, '--db', merged])).toMatchObject({ code: 3 });
  await expect(storePerson(merged, 5000)).rejects.toThrow('forgotten account');
});

const KILLS = countKills(5);

test(
  'a database that is killed while it applies an erasure applies it before it ships',
  { timeout: 3_600_000 },
  async () => {
    const scene = async (): Promise<{ lake: string; path: string; first: string }> => {
      const lake = tempDir();
      const path = await collectPerson(lake);
      return { lake, path, first: await shipErasure(lake) };
    };
    const run = (path: string): string[] => ['lake', 'ship', '--once', '--quiet', '--db', path];
    const whole = await scene();
    const operations = await listOperations(run(whole.path));
    const expected = rowsOf(whole.path, ITEMS);
    // Between the tombstones and the rows, and at the new file.
    const between = operations.indexOf('before exec begin exclusive; commit') + 1;
    const points = [
      between,
      ...choosePoints(operations, KILLS, [/^after run vacuum/, /^before rename.*rebuild/, /^after rename.*rebuild/]),
    ];
    for (const point of points) {
      const { lake, path, first } = await scene();
      const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
      await killTrawl(run(path), point);
      expect(findShipped(lake), operation).toEqual([]);
      await ship(path);
      expect(findShipped(lake), operation).toEqual([]);
      expect(scanFolder(path, TRACES), operation).toEqual([]);
      expect(rowsOf(path, ITEMS), operation).toEqual(expected);
      expect(await listBehind(first), operation).toEqual([]);
    }
  },
);
