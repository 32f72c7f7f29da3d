import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { openStore } from '#store/store.ts';
import { peopleOf, rowsOf, serve, withWorld } from '../e2e/support.ts';
import { someWeeks } from '../rebuild/some-weeks.ts';
import { failure, runCli, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { forgetPerson, OWN_TRACES, storePerson } from './purged-lake.ts';
import { lists, storeList } from './random-lists.ts';
import { addLake, createShipped, ship, shipFrom, shipUnfinished, storePages } from './shipped-store.ts';
import { readRows } from './stored-rows.ts';

/** A database that was lost is merged from its lake into a new file, which ships on to the lake. */

async function merge(lake: string): Promise<string> {
  const path = tempFile('merged.db');
  await runSuccessfully(['lake', 'merge', lake, '--db', path, '--quiet']);
  return path;
}

/** A merged database that ships its own crawls. */
async function recover(lake: string): Promise<string> {
  const path = await merge(lake);
  await runSuccessfully(['lake', 'add', lake, '--db', path]);
  return path;
}

/** The columns that facts of a snapshot do not have. */
const NOT_IN_SNAPSHOT = ['changed_at'];

/** The rows of a store without crawls that are not finished: these are partial in a merged one. */
const readFinished = (path: string, without?: readonly string[]): Record<string, unknown[]> => {
  const rows = readRows(path, without);
  const isFinished = (crawl: unknown): boolean => (crawl as { reason: string }).reason !== 'not_finished';
  return { ...rows, unfinished: [], crawls: rows['crawls']!.filter(isFinished) };
};

test('a store that shipped from the start is merged with all histories', async () => {
  const lake = tempDir();
  const { path } = await someWeeks({}, (created) => shipFrom(created, lake));
  await ship(path);
  const stored = readFinished(path);
  expect(stored['tweetHistory']!.length + stored['userHistory']!.length).toBeGreaterThan(0);
  for (const name of ['periods', 'gaps', 'deletions', 'lists']) expect(stored[name]!.length, name).toBeGreaterThan(0);
  expect(readFinished(await merge(lake))).toEqual(stored);
});

test('a store that shipped later is merged from its snapshot and what followed', async () => {
  const lake = tempDir();
  const { path } = await someWeeks();
  addLake(path, lake);
  await ship(path);
  {
    await using store = openStore(path);
    await storePages(store, '1', Date.now());
  }
  await ship(path);
  expect(readFinished(await merge(lake), NOT_IN_SNAPSHOT)).toEqual(readFinished(path, NOT_IN_SNAPSHOT));
});

test('random histories, with a snapshot at any time, are merged with all periods, values and evidence', async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 1, max: 24 }), async (all, from) => {
      const lake = tempDir();
      const path = tempFile('mine.db');
      let at = 10 * DAY;
      {
        await using store = openStore(path);
        for (const [i, list] of all.entries()) {
          at += list.wait;
          await storeList(store, list, at);
          if (i + 1 === Math.min(from, all.length)) await shipFrom(path, lake);
        }
        if (from > all.length) await shipFrom(path, lake);
      }
      await ship(path);
      expect(readRows(await merge(lake), NOT_IN_SNAPSHOT)).toEqual(readRows(path, NOT_IN_SNAPSHOT));
    }),
    { numRuns: 6, seed: 1, endOnFailure: true },
  );
}, 300_000);

test('random histories of databases that are lost and merged equal those of one database', async () => {
  let [ends, changes] = [0, 0];
  await fc.assert(
    fc.asyncProperty(lists, fc.integer({ min: 1, max: 11 }), async (all, each) => {
      const lake = tempDir();
      const one = tempFile('one.db');
      let path = tempFile('mine.db');
      await openStore(one)[Symbol.asyncDispose]();
      await createShipped(path, lake);
      let at = 10 * DAY;
      for (const [i, list] of all.entries()) {
        at += list.wait;
        for (const db of [path, one]) {
          await using store = openStore(db);
          await storeList(store, list, at);
        }
        if (i % each < each - 1) continue;
        await ship(path);
        rmSync(path);
        path = await recover(lake);
        // A target may ship its snapshot before or after the first crawl.
        if (i % 2 === 0) await ship(path);
      }
      await ship(path);
      const stored = readRows(one);
      expect(readRows(path)).toEqual(stored);
      expect(readRows(await merge(lake))).toEqual(stored);
      ends += (stored['periods'] as { ended_at: number | null }[]).filter(({ ended_at: end }) => end !== null).length;
      changes += stored['userHistory']!.length + stored['deletions']!.length;
    }),
    { numRuns: 6, seed: 1, endOnFailure: true },
  );
  expect(ends).toBeGreaterThan(5);
  expect(changes).toBeGreaterThan(10);
}, 300_000);

const world = withWorld(60, 11);

test('after a loss, commands crawl on as with the lost database', async () => {
  const service = await serve(world, { pageSize: 5 });
  const handles = peopleOf(world, 6).map(({ handle }) => handle);
  const lake = tempDir();
  const [mine, one] = [tempFile('mine.db'), tempFile('one.db')];
  const run = (...args: string[]) => runSuccessfully([...args, '--quiet', '--yes'], { env: service.env });
  const crawl = async (db: string, targets: readonly string[]): Promise<number> => {
    const before = service.asked.length;
    for (const kind of ['timeline', 'followers']) await run('crawl', kind, ...targets, '--db', db);
    return service.asked.length - before;
  };
  await runSuccessfully(['lake', 'add', lake, '--db', mine]);
  await ship(mine);
  const first = await crawl(mine, handles.slice(0, 4));
  expect(await crawl(one, handles.slice(0, 4))).toBe(first);
  await ship(mine);
  rmSync(mine);

  await runSuccessfully(['lake', 'merge', lake, '--db', mine, '--quiet']);
  await runSuccessfully(['lake', 'add', lake, '--db', mine]);
  const again = await crawl(mine, handles.slice(0, 4));
  expect(again).toBeLessThan(first);
  expect(await crawl(one, handles.slice(0, 4))).toBe(again);
  expect(await crawl(mine, handles.slice(4))).toBe(await crawl(one, handles.slice(4)));
  await ship(mine);

  const merged = await merge(lake);
  for (const sql of [
    'select rest_id, screen_name, name, description, followers_count from v_users order by 1',
    'select rest_id, text, deletion_state from v_tweets order by 1',
    'select follower_rest_id, followee_rest_id from v_follows order by 1, 2',
    'select kind, target, newest_rest_id, oldest_rest_id, list_end, pages, items from coverage order by 1, 2, 3',
    'select id, kind, target, state, reason, ending, pages, items, requests from crawls order by id',
    'select crawl_id, endpoint, status, response_bytes from requests order by 1, 2, 4',
  ])
    expect(rowsOf(merged, sql), sql).toEqual(rowsOf(one, sql));
});

test('unfinished crawls of a lost database are resumed, and are shipped with the others', async () => {
  const lake = tempDir();
  await shipUnfinished(tempFile('mine.db'), lake);
  const path = await recover(lake);
  const { stdout } = await runSuccessfully(['crawls', 'resume', '--reason', 'not_finished', '--db', path]);
  expect(stdout).toContain('id:9');
  {
    await using store = openStore(path);
    expect(store.read.unfinished().map(({ target, state, pages }) => [target, state, pages])).toEqual([
      ['id:9', 'queued', 0],
    ]);
    await store.write.cancelCrawls([store.read.unfinished()[0]!.id], 700);
  }
  await ship(path);
  expect(rowsOf(await merge(lake), "select state from crawls where target = 'id:9' order by id")).toEqual([
    { state: 'partial' },
    { state: 'cancelled' },
  ]);
});

test('a merged database does not ship what it crawled before the target was added', async () => {
  const lake = tempDir();
  const lost = tempFile('mine.db');
  await createShipped(lost, lake);
  await storePerson(lost, 1000);
  await ship(lost);
  const path = await merge(lake);
  await storePerson(path, 2000);
  expect(await runCli(['lake', 'add', lake, '--db', path])).toMatchObject(
    failure(2, `was merged from ${lake}, and has crawled since`),
  );
  // For another lake, it begins with a snapshot of all.
  const other = tempDir();
  await shipFrom(path, other);
  expect(readRows(await merge(other), NOT_IN_SNAPSHOT)).toEqual(readRows(path, NOT_IN_SNAPSHOT));
  expect(await runCli(['lake', 'merge', lake, '--db', path])).toMatchObject(failure(2, 'ships facts of its own'));
});

test.each(['before', 'after'])('nobody who was forgotten comes back %s a purge', async (when) => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await createShipped(path, lake);
  await storePerson(path, 1000);
  await ship(path);
  await forgetPerson(path, 'redact');
  await ship(path);
  if (when === 'after') await runSuccessfully(['lake', 'purge', lake, '--quiet']);
  const merged = await recover(lake);
  const [mine, lost] = [readRows(merged), readRows(path)];
  expect(OWN_TRACES.filter((trace) => JSON.stringify(mine).includes(trace))).toEqual([]);
  for (const name of ['users', 'tweets', 'periods', 'tombstones', 'hits']) expect(mine[name], name).toEqual(lost[name]);
  await expect(storePerson(merged, 3000)).rejects.toThrow('forgotten account');
  await ship(merged);
  // Only its own forgotten accounts were new to the lake.
  await runSuccessfully(['forget', 'id:70020002', '--yes', '--quiet', '--db', merged]);
  await ship(merged);
  expect(rowsOf(await merge(lake), 'select rest_id from users')).toEqual([]);
});

test('no command takes a merge that runs or was killed for a database', async () => {
  const lake = tempDir();
  const mine = tempFile('mine.db');
  await createShipped(mine, lake);
  const path = tempFile('merged.db');
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
    expect(await runCli([...args, '--db', path], { env })).toMatchObject(failure(1, 'is not merged yet'));
  for (const args of [['lake', 'ship', '--once'], ['status'], ['backup', tempFile('copy.db')]])
    expect((await runCli([...args, '--db', path])).stderr).toContain('there is no database');
  expect(readdirSync(dirname(path))).toEqual([basename(abandoned)]);
  await runSuccessfully(['lake', 'merge', lake, '--db', path, '--quiet']);
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  expect(readRows(path)).toEqual(readRows(mine));
});
