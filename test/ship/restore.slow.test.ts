import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { someWeeks } from '../rebuild/some-weeks.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { askLake } from './lake.ts';
import { forgetPerson, OWN_TRACES, storePerson } from './purged-lake.ts';
import { lists, storeList } from './random-lists.ts';
import { readRows } from './restored-rows.ts';
import { addLake, createShipped, ship, shipFrom, shipUnfinished, storePages } from './shipped-store.ts';

const restore = async (lake: string): Promise<string> => {
  const path = join(tempDir(), 'restored.db');
  await runSuccessfully(['lake', 'restore', '--from', lake, '--db', path, '--quiet']);
  return path;
};

/** The columns that facts of a snapshot do not have. */
const NOT_IN_SNAPSHOT = ['changed_at'];

test('a store that shipped from the start is restored with all histories', async () => {
  const lake = tempDir();
  const { path } = await someWeeks({}, (created) => shipFrom(created, lake));
  await ship(path);
  const restored = await restore(lake);
  const stored = readRows(path);
  expect(stored['tweetHistory']!.length + stored['userHistory']!.length).toBeGreaterThan(0);
  for (const name of ['periods', 'gaps', 'deletions', 'lists']) expect(stored[name]!.length, name).toBeGreaterThan(0);
  expect(readRows(restored)).toEqual(stored);
});

test('a store that shipped later is restored from its snapshot and what followed', async () => {
  const lake = tempDir();
  const { path } = await someWeeks();
  addLake(path, lake);
  await ship(path);
  {
    await using store = openStore(path);
    await storePages(store, '1', Date.now());
  }
  await ship(path);
  expect(readRows(await restore(lake), NOT_IN_SNAPSHOT)).toEqual(readRows(path, NOT_IN_SNAPSHOT));
});

test('a restored store crawls on, and ships on to the target without a new snapshot', async () => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await shipUnfinished(path, lake);
  const restored = await restore(lake);
  await using store = openStore(restored);
  {
    using lost = openReadOnly(path);
    expect(lost.$client.prepare("select value from _settings where key = 'store_id'").pluck().get()).toBe(store.id);
  }
  expect(store.read.unfinished().map(({ target, state, pages }) => [target, state, pages])).toEqual([
    ['id:9', 'queued', 0],
  ]);
  await storePages(store, '1', 600);
  await ship(restored);
  expect(askLake(lake, 'select count(*) from snapshots')).toEqual([[1]]);
  const entries = "select count(*), count(distinct entry || ' ' || committed_at) from steps";
  expect(askLake(lake, entries)).toEqual([[8, 8]]);
  expect(askLake(lake, 'select count(distinct store) from crawls')).toEqual([[1]]);
  using db = openReadOnly(restored);
  expect(readShipTargets(db)).toMatchObject([{ address: lake, waitingEntries: 0 }]);
  // What the lake has is the restored store.
  expect(readRows(await restore(lake))).toEqual(readRows(restored));
  expect(await runCli(['rebuild', '--db', await restore(lake)])).toMatchObject(
    failure(1, 'cannot be rebuilt from pages'),
  );
});

test('random histories, with a snapshot at any time, are restored with all periods, values and evidence', async () => {
  let [ends, changes] = [0, 0];
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 0, max: 24 }), async (all, from) => {
      const lake = tempDir();
      const path = tempFile('mine.db');
      let at = 10 * DAY;
      {
        await using store = openStore(path);
        if (from === 0) await shipFrom(path, lake);
        for (const [i, list] of all.entries()) {
          at += list.wait;
          await storeList(store, list, at);
          if (i + 1 === Math.min(from, all.length)) await shipFrom(path, lake);
        }
        if (from > all.length) await shipFrom(path, lake);
      }
      await ship(path);
      const without = from === 0 ? [] : NOT_IN_SNAPSHOT;
      const stored = readRows(path, without);
      expect(readRows(await restore(lake), without)).toEqual(stored);
      ends += (stored['periods'] as { ended_at: number | null }[]).filter(({ ended_at: end }) => end !== null).length;
      changes += stored['userHistory']!.length + stored['deletions']!.length;
    }),
    { numRuns: 10, seed: 1, endOnFailure: true },
  );
  expect(ends).toBeGreaterThan(10);
  expect(changes).toBeGreaterThan(10);
}, 300_000);

test.each(['before', 'after'])('nobody who was forgotten comes back %s a purge', async (when) => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await createShipped(path, lake);
  await storePerson(path, 1000);
  await ship(path);
  await forgetPerson(path, 'redact');
  await ship(path);
  if (when === 'after') await runSuccessfully(['lake', 'purge', lake, '--quiet']);
  const restored = await restore(lake);
  const text = JSON.stringify(readRows(restored));
  expect(OWN_TRACES.filter((trace) => text.includes(trace))).toEqual([]);
  const [mine, lost] = [readRows(restored), readRows(path)];
  for (const name of ['users', 'tweets', 'periods', 'tombstones', 'hits']) expect(mine[name], name).toEqual(lost[name]);
  const findErased = (rows: typeof mine): unknown[] =>
    (rows['crawls'] as { id: number; erased_items: number }[]).flatMap(({ id, erased_items: items }) =>
      items > 0 ? [[id, items]] : [],
    );
  expect(findErased(mine)).toEqual(findErased(lost));
  expect(findErased(lost)).not.toEqual([]);
});

test('no command takes a restore that runs or was killed for a database', async () => {
  const lake = tempDir();
  const mine = tempFile('mine.db');
  await createShipped(mine, lake);
  const path = tempFile('restored.db');
  // A process with the id of this one was killed, as in a container.
  const abandoned = `${path}.${process.pid}.partial`;
  mkdirSync(abandoned);
  writeFileSync(join(abandoned, 'store.db'), 'incomplete');
  const env = { TRAWL_API_KEY: 'key', TRAWL_API_URL: 'http://127.0.0.1:9', REDIS_URL: 'redis://127.0.0.1:9' };
  for (const args of [
    ['work', '--exit-when-idle'],
    ['crawl', 'followers', 'id:1'],
    ['enqueue', 'followers', 'id:1'],
  ])
    expect(await runCli([...args, '--db', path], { env })).toMatchObject(failure(1, 'is not restored yet'));
  for (const args of [['lake', 'ship', '--once'], ['status'], ['backup', tempFile('copy.db')]])
    expect((await runCli([...args, '--db', path])).stderr).toContain('there is no database');
  expect(readdirSync(dirname(path))).toEqual([basename(abandoned)]);
  await runSuccessfully(['lake', 'restore', '--from', lake, '--db', path, '--quiet']);
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  expect(readRows(path)).toEqual(readRows(mine));
});

test('what cannot be restored is refused with what to do', async () => {
  const lake = tempDir();
  const there = tempFile('there.db');
  expect(await runCli(['lake', 'restore', '--from', lake, '--db', join(lake, 'x.db')])).toMatchObject(
    failure(2, 'nothing was shipped to'),
  );
  for (const path of [there, tempFile('other.db')]) {
    await storePerson(path, 1000);
    addLake(path, lake);
    await ship(path);
  }
  expect(await runCli(['lake', 'restore', '--from', lake, '--db', there])).toMatchObject(failure(2, 'exists'));
  expect(await runCli(['lake', 'restore', '--from', lake, '--db', join(lake, 'x.db')])).toMatchObject(
    failure(2, 'has several stores'),
  );
  expect(
    await runCli(['lake', 'restore', '--from', lake, '--store', 'none', '--db', join(lake, 'x.db')]),
  ).toMatchObject(failure(2, 'has no store none'));
  expect(await runCli(['lake', 'restore', '--db', join(lake, 'x.db')])).toMatchObject({ code: 2 });
  const { targets } = await runJson<{ targets: { stores: { store: string }[] }[] }>(['lake', '--json', '--db', there]);
  const { store } = targets[0]!.stores[0]!;
  const summary = await runJson<{ rows: object; notRestored: string[] }>([
    'lake',
    'restore',
    '--from',
    lake,
    '--store',
    store,
    '--db',
    join(lake, 'x.db'),
    '--json',
    '--quiet',
  ]);
  expect(summary).toMatchObject({ rows: { users: 2 } });
  expect(summary.notRestored.join()).toContain('bodies of pages');
});
