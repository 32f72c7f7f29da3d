import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, MINUTE } from '#base/clock.ts';
import { openStore } from '#store/store.ts';
import { rowsOf } from '../e2e/support.ts';
import { someWeeks } from '../rebuild/some-weeks.ts';
import { openLeased, pageOf, progressOf, spec } from '../store/support.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { listFactFiles } from './lake.ts';
import { forgetPerson, OWN_TRACES, storePerson } from './purged-lake.ts';
import { lists, storeList } from './random-lists.ts';
import { createShipped, ship, shipFrom, shipUnfinished, storePages } from './shipped-store.ts';
import { readRows } from './stored-rows.ts';

/** Merges a lake into a new file, or into one that was made so. Returns which of the two, and how. */
const update = async (lake: string, merged: string): Promise<string> => {
  const { made } = await runJson<{ made: string }>(['lake', 'merge', lake, '--db', merged, '--json', '--quiet']);
  return made;
};

/** Merges a lake into a new file. */
async function merge(lake: string): Promise<string> {
  const merged = tempFile('all.db');
  expect(await update(lake, merged)).toBe('created');
  return merged;
}

test('random histories that three databases share equal those of one that saw everything, also when merged bit by bit', async () => {
  let [ends, changes] = [0, 0];
  const made = new Set<string>();
  await fc.assert(
    fc.asyncProperty(lists, fc.infiniteStream(fc.constantFrom(0, 1, 2)), async (all, deal) => {
      const lake = tempDir();
      const paths = [0, 1, 2].map(() => tempFile('mine.db'));
      const [one, updated] = [tempFile('one.db'), tempFile('all.db')];
      await openStore(one)[Symbol.asyncDispose]();
      for (const path of paths) await createShipped(path, lake);
      let at = 10 * DAY;
      for (const [i, list] of all.entries()) {
        at += list.wait;
        const path = paths[deal.next().value!]!;
        for (const each of [path, one]) {
          await using store = openStore(each);
          await storeList(store, list, at);
        }
        // The last part of one database comes late.
        if (i % 6 === 5) for (const each of i < 12 ? paths : paths.slice(1)) await ship(each);
        if (i % 6 === 5) made.add(await update(lake, updated));
      }
      for (const path of paths) await ship(path);
      const stored = readRows(one);
      expect(readRows(await merge(lake))).toEqual(stored);
      made.add(await update(lake, updated));
      expect(readRows(updated)).toEqual(stored);
      ends += (stored['periods'] as { ended_at: number | null }[]).filter(({ ended_at: end }) => end !== null).length;
      changes += stored['userHistory']!.length + stored['deletions']!.length;
    }),
    { numRuns: 4, seed: 1, endOnFailure: true },
  );
  expect(ends).toBeGreaterThan(5);
  expect(changes).toBeGreaterThan(10);
  expect([...made].toSorted()).toEqual(['anew', 'created', 'updated']);
}, 300_000);

/** What a store claims, without the times of its requests. */
const CLAIMS = {
  users: 'select rest_id, followers_count from v_users order by 1',
  tweets: 'select rest_id, text, deletion_state from v_tweets order by 1',
  // A database that knows no earlier list does not ask for the owner's count, without which a list is no second evidence.
  edges: `select r.rest_id as follower, e.rest_id as followee, first_missed_at is not null as is_missed
    from follows f join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by 1, 2`,
  coverage: 'select kind, target, newest_rest_id, oldest_rest_id, list_end from coverage order by 1, 2, 3',
  gaps: 'select kind, target, newer_rest_id, older_rest_id, reason from gaps order by 1, 2, 3',
};

test('weeks of crawls that three databases share prove what one database proves', async () => {
  const lake = tempDir();
  const { path } = await someWeeks();
  const { paths } = await someWeeks({}, (created) => shipFrom(created, lake), 3);
  for (const each of paths) await ship(each);
  const merged = await merge(lake);
  for (const [name, sql] of Object.entries(CLAIMS)) expect(rowsOf(merged, sql), name).toEqual(rowsOf(path, sql));
});

test('nobody whom one database has forgotten is in what others showed', async () => {
  const lake = tempDir();
  const paths = [tempFile('a.db'), tempFile('b.db')];
  for (const [i, path] of paths.entries()) {
    await createShipped(path, lake);
    await storePerson(path, 1000 + i);
    await ship(path);
  }
  const merged = await merge(lake);
  expect(JSON.stringify(readRows(merged))).toContain(OWN_TRACES[0]);
  await forgetPerson(paths[1]!, 'redact');
  await ship(paths[1]!);
  expect(await update(lake, merged)).toBe('anew');
  {
    await using store = openStore(paths[0]!);
    await storePages(store, '7', Date.now());
  }
  await ship(paths[0]!);
  expect(await update(lake, merged)).toBe('updated');
  const text = JSON.stringify(readRows(merged));
  expect(OWN_TRACES.filter((trace) => text.includes(trace))).toEqual([]);
  expect(text).toContain('about boats');
});

test('crawls that were not finished are partial, and are not run by whoever works on the result', async () => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await shipUnfinished(path, lake);
  const merged = await merge(lake);
  expect(rowsOf(merged, "select target, state, reason from crawls where target = 'id:9'")).toEqual([
    { target: 'id:9', state: 'partial', reason: 'not_finished' },
  ]);
  expect(rowsOf(merged, 'select 1 from crawls where finished_at is null')).toEqual([]);
  expect(await runCli(['rebuild', '--db', merged])).toMatchObject(failure(1, 'cannot be rebuilt from pages'));
});

test('a merge overwrites no file, and says what is missing', async () => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  expect(await runCli(['lake', 'merge', lake, '--db', path])).toMatchObject(failure(2, 'nothing was shipped to'));
  // A target may be added before the first crawl.
  await runSuccessfully(['lake', 'add', lake, '--db', path]);
  await ship(path);
  expect(await runCli(['lake', 'merge', lake, '--db', path])).toMatchObject(
    failure(2, 'exists, and was not made by a merge'),
  );
  expect(rowsOf(await merge(lake), 'select 1 from crawls')).toEqual([]);
});

test('a merged database with crawls of its own is updated, and not made anew', async () => {
  const lake = tempDir();
  const paths = [tempFile('a.db'), tempFile('b.db')];
  for (const path of paths) await createShipped(path, lake);
  const store = async (path: string, at: number): Promise<void> => {
    await using open = openStore(path);
    await storePages(open, '1', at);
    await open.write.openCrawls([spec({ target: 'id:9' })], at + 50);
  };
  await store(paths[0]!, 1000);
  await ship(paths[0]!);
  const merged = await merge(lake);
  // Of the same identity as one that was not finished.
  await store(merged, 1500);
  await store(paths[0]!, 2000);
  await ship(paths[0]!);
  expect(await update(lake, merged)).toBe('updated');
  expect(rowsOf(merged, "select state from crawls where target = 'id:9' order by created_at")).toEqual([
    { state: 'partial' },
    { state: 'queued' },
  ]);
  await store(paths[1]!, 500);
  await ship(paths[1]!);
  const before = readRows(merged);
  expect(await runCli(['lake', 'merge', lake, '--db', merged])).toMatchObject(
    failure(2, 'has crawls, panels or scheduled jobs of its own, and cannot be created again'),
  );
  expect(readRows(merged)).toEqual(before);
});

test('a crawl that was resumed in a merged database is stored as its own database goes on', async () => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await createShipped(path, lake);
  const commit = async (at: number, more: Parameters<typeof pageOf>[3]): Promise<void> => {
    await using store = openStore(path);
    const { id, lease } = at === 100 ? await openLeased(store, at) : { id: 1, lease: 1 };
    await store.write.commitPage(pageOf(id, lease, at, more));
  };
  await commit(100, { progress: progressOf({ cursor: 'c', items: 1 }) });
  await ship(path);
  const merged = await merge(lake);
  {
    await using store = openStore(merged);
    store.read.crawl(1);
    await store.write.resumeCrawls([{ id: 1, options: store.read.crawl(1)!.options }], 150);
    await store.write.takeLease(1, 160, 0);
  }
  await commit(200, { requestCursor: 'c', progress: progressOf({ items: 2 }), end: { state: 'complete' } });
  await ship(path);
  expect(await update(lake, merged)).toBe('updated');
  expect(rowsOf(merged, 'select state, pages, items from crawls')).toEqual([{ state: 'complete', pages: 2, items: 3 }]);
});

test('while databases are shipped, later facts are merged by the next run', async () => {
  const lake = tempDir();
  const paths = [tempFile('a.db'), tempFile('b.db')];
  const now = Date.now();
  for (const [i, path] of paths.entries()) {
    await createShipped(path, lake);
    await using store = openStore(path);
    await storePages(store, String(i + 1), now - 20 * MINUTE);
    await storePages(store, String(i + 1), now - MINUTE);
  }
  for (const path of paths) await ship(path);
  const [record] = readdirSync(join(lake, '_stores')).map((name) => join(lake, '_stores', name));
  const before = readFileSync(record!, 'utf8');
  // As a process writes it that goes on shipping.
  const until = new Date(now - 10 * MINUTE);
  writeFileSync(record!, JSON.stringify({ ...JSON.parse(before), until }));
  const merged = await merge(lake);
  const crawls = 'select count(*) as n from crawls';
  expect(rowsOf(merged, crawls)).toEqual([{ n: 4 }]);
  expect(await runCli(['lake', 'merge', lake, '--db', merged])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`, as of ${new Date(now - 12 * MINUTE).toISOString()}`),
    stderr: expect.stringContaining('databases are being shipped: the next run merges later facts'),
  });
  // A process that was killed long ago is not waited for.
  writeFileSync(record!, JSON.stringify({ ...JSON.parse(before), until: new Date(now - 70 * MINUTE) }));
  expect(await update(lake, merged)).toBe('updated');
  expect(rowsOf(merged, crawls)).toEqual([{ n: 8 }]);
});

test('a lake without one of its files is not merged: its lists would look complete', async () => {
  const lake = tempDir();
  const path = tempFile('mine.db');
  await createShipped(path, lake);
  for (const at of [100, 600, 900]) {
    await using store = openStore(path);
    await storePages(store, '1', at);
    await ship(path);
  }
  const files = listFactFiles(lake).toSorted();
  rmSync(files[2]!);
  const [, first, last] = /(\d+)-(\d+)-0\.jsonl/.exec(files[2]!)!;
  const missing = failure(1, `: entries ${Number(first)} to ${Number(last)} are missing`);
  expect(await runCli(['lake', 'merge', lake, '--db', tempFile('all.db')])).toMatchObject(missing);
});

test('edges of databases that begin to ship later are one period, unless a list shows an end in between', async () => {
  const lake = tempDir();
  const seen = { side: 'followers', of: 1, others: [2], isComplete: false, isDeleted: false } as const;
  for (const days of [
    [10, 40],
    [20, 50],
    [60, 60],
  ]) {
    const path = tempFile('mine.db');
    {
      await using store = openStore(path);
      for (const day of days) await storeList(store, seen, day * DAY);
    }
    await shipFrom(path, lake);
  }
  expect(rowsOf(await merge(lake), 'select first_seen_at, last_seen_at, ended_at from follows')).toEqual([
    { first_seen_at: 10 * DAY, last_seen_at: 60 * DAY, ended_at: null },
  ]);
});
