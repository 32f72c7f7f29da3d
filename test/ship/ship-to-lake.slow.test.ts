import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY, MINUTE, systemClock } from '#base/clock.ts';
import { shipFacts } from '#lake/ship-facts.ts';
import { readShipTargets, removeShipTarget } from '#store/outbox/ship-targets.ts';
import { rebuild } from '#store/rebuild/rebuild.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore, type Store } from '#store/store.ts';
import { someWeeks } from '../rebuild/some-weeks.ts';
import { newStore, readerOf, spec } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { askLake, listFactFiles } from './lake.ts';
import { addLake, storePages } from './shipped-store.ts';

/** Ships what waits, as `trawl lake ship --once` does. */
async function shipOnce(store: Pick<Store, 'id' | 'path'>, clock = systemClock) {
  using db = openDatabase(store.path);
  const [target] = readShipTargets(db);
  const { signal } = new AbortController();
  const options = { db, path: store.path, store: store.id, target: target!, clock, variables: {}, signal };
  return await shipFacts({ ...options, isOnce: true });
}

/** The edges of a store, with their first and last sightings. */
const edgesOf = (store: Store): unknown[] =>
  readerOf(store)
    .prepare(
      `select r.rest_id, e.rest_id, f.first_seen_at, f.last_seen_at from follows f
       join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by 1, 2`,
    )
    .raw()
    .all();
const EDGES = `select member_rest_id, owner_rest_id, min(seen_at), max(coalesce(seen_until_at, seen_at))
  from edge_sightings group by 1, 2 order by 1, 2`;

/** Names, counts and places of accounts: the latest value that was shown. */
const usersOf = (store: Store): unknown[] =>
  readerOf(store)
    .prepare('select rest_id, screen_name, name, followers_count, location, verified from users order by rest_id')
    .raw()
    .all();
const latest = (column: string): string =>
  `(select ${column} from user_sightings where rest_id = u.rest_id and ${column} is not null order by seen_at desc limit 1)`;
const USERS = `select rest_id, ${['screen_name', 'name', 'followers_count', 'location', 'verified'].map(latest).join(', ')}
  from (select distinct rest_id from user_sightings) u order by rest_id`;

/** Creates a store whose first pages are in a lake. */
async function shipFirstPages() {
  const store = newStore();
  const lake = tempDir();
  addLake(store.path, lake);
  await storePages(store, '1', 100);
  await shipOnce(store);
  return { store, lake };
}

test('the facts of a lake give the rows of the store', async () => {
  const store = newStore();
  const lake = tempDir();
  addLake(store.path, lake);
  await storePages(store, '1', 100);
  await storePages(store, '2', 200);
  await storePages(store, '1', 300);
  await shipOnce(store);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
  expect(askLake(lake, USERS)).toEqual(usersOf(store));
  expect(askLake(lake, 'select distinct store from crawls')).toEqual([[store.id]]);
  // All waiting facts were in the snapshot.
  expect(askLake(lake, 'select taken_at > 0 from snapshots')).toEqual([[1]]);

  await storePages(store, '2', 400);
  await shipOnce(store);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
  expect(askLake(lake, USERS)).toEqual(usersOf(store));
  const tweets = `select rest_id, text, hashtags, favorite_count from tweet_sightings where seen_at > 400 order by 1`;
  expect(askLake(lake, tweets)).toEqual([
    ['291', '#cat at 400', '["cat"]', 400],
    ['292', '#cat at 400', '["cat"]', 400],
  ]);
  expect(readerOf(store).prepare('select count(*) from _ship_outbox').pluck().get()).toBe(0);
});

test('shipping that is stopped seals what has arrived, and the next one continues', async () => {
  const store = newStore();
  const lake = tempDir();
  addLake(store.path, lake);
  await shipOnce(store);
  await storePages(store, '1', 100);
  const stop = new AbortController();
  using db = openDatabase(store.path);
  const [target] = readShipTargets(db);
  const shipping = shipFacts({
    db,
    path: store.path,
    store: store.id,
    target: target!,
    variables: {},
    signal: stop.signal,
    isOnce: false,
    clock: {
      now: systemClock.now,
      async sleep() {
        stop.abort();
      },
    },
  });
  expect((await shipping).entries).toBeGreaterThan(3);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
});

test('while it is shipped, a store says until when its facts are there', async () => {
  const store = newStore();
  const lake = tempDir();
  addLake(store.path, lake);
  await shipOnce(store);
  const readUntil = (): unknown => {
    const [name] = readdirSync(join(lake, '_stores'));
    return (JSON.parse(readFileSync(join(lake, '_stores', name!), 'utf8')) as { until?: string }).until;
  };
  const stop = new AbortController();
  const seen: unknown[] = [];
  let now = Date.now();
  using db = openDatabase(store.path);
  await shipFacts({
    db,
    path: store.path,
    store: store.id,
    target: readShipTargets(db)[0]!,
    variables: {},
    signal: stop.signal,
    isOnce: false,
    clock: {
      now: () => now,
      async sleep() {
        seen.push(readUntil());
        if (seen.length === 2) await storePages(store, '1', now);
        if (seen.length === 4) stop.abort();
        now += 20 * MINUTE;
      },
    },
  });
  const minutes = seen.map((until) => typeof until === 'string' && (Date.parse(until) - now) / MINUTE + 80);
  expect(minutes).toEqual([false, 20, 20, 60]);
  // It has ended: nothing has to be waited for.
  expect(readUntil()).toBe(undefined);
});

test('a process that waits for entries does not replace the record of what another copy of its store has shipped', async () => {
  const { store, lake } = await shipFirstPages();
  const [copy, before, sealed] = [join(tempDir(), 'copy.db'), tempDir(), tempDir()];
  await runSuccessfully(['backup', copy, '--db', store.path]);
  cpSync(lake, before, { recursive: true });
  {
    await using other = openStore(copy);
    await storePages(other, '1', 300);
  }
  await shipOnce({ id: store.id, path: copy });
  cpSync(lake, sealed, { recursive: true });
  rmSync(lake, { recursive: true });
  cpSync(before, lake, { recursive: true });
  let now = Date.now();
  using db = openDatabase(store.path);
  const shipping = shipFacts({
    db,
    path: store.path,
    store: store.id,
    target: readShipTargets(db)[0]!,
    variables: {},
    signal: new AbortController().signal,
    isOnce: false,
    clock: {
      now: () => now,
      async sleep() {
        cpSync(sealed, lake, { recursive: true });
        now += 20 * MINUTE;
      },
    },
  });
  await expect(shipping).rejects.toThrow('has entries of the store');
  const record = (folder: string): string => readFileSync(join(folder, '_stores', `${store.id}.json`), 'utf8');
  expect(record(lake)).toBe(record(sealed));
});

test('files that are beyond what the lake has recorded do not count', async () => {
  const { store, lake } = await shipFirstPages();
  const count = askLake(lake, 'select count(*) from edge_sightings');
  const file = listFactFiles(lake).toSorted().at(-1)!;
  copyFileSync(file, file.replace(/-\d{15}-0\.jsonl\.br$/, '-999999999999999-0.jsonl.br'));
  await shipOnce(store);
  expect(askLake(lake, 'select count(*) from edge_sightings')).toEqual(count);
});

test('what a killed process ships late, the next one does not ship again', async () => {
  const { store, lake } = await shipFirstPages();
  await storePages(store, '1', 300);
  const [copy, before, sealed] = [join(tempDir(), 'copy.db'), tempDir(), tempDir()];
  await runSuccessfully(['backup', copy, '--db', store.path]);
  cpSync(lake, before, { recursive: true });
  await shipOnce({ id: store.id, path: copy });
  cpSync(lake, sealed, { recursive: true });
  rmSync(lake, { recursive: true });
  cpSync(before, lake, { recursive: true });
  let isSealed = false;
  const now = (): number => {
    // The first batch is open.
    if (!isSealed) cpSync(sealed, lake, { recursive: true });
    isSealed = true;
    return Date.now();
  };
  await storePages(store, '2', 400);
  await shipOnce(store, { ...systemClock, now });
  expect(isSealed).toBe(true);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
  const twice = 'select entry from edge_sightings group by entry, owner_rest_id, member_rest_id having count(*) > 1';
  expect(askLake(lake, twice)).toEqual([]);
  expect(readerOf(store).prepare('select count(*) from _ship_outbox').pluck().get()).toBe(0);
});

test('a lake without entries that were released is refused, and a new target begins with a snapshot', async () => {
  const { store, lake } = await shipFirstPages();
  for (const name of readdirSync(lake)) rmSync(join(lake, name), { recursive: true });
  await expect(shipOnce(store)).rejects.toThrow('lacks entries');
  {
    using db = openDatabase(store.path);
    removeShipTarget(db, lake);
  }
  addLake(store.path, lake, 2);
  await shipOnce(store);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
});

test('a target that is added again keeps its files, and their entries are not given again', async () => {
  const { store, lake } = await shipFirstPages();
  const [[before]] = askLake(lake, 'select max(entry) from edge_sightings') as [[number]];
  {
    using db = openDatabase(store.path);
    removeShipTarget(db, lake);
  }
  addLake(store.path, lake, Date.now() + DAY);
  await storePages(store, '1', 300);
  await shipOnce(store);
  const entries = askLake(lake, 'select distinct entry from snapshots order by 1').flat() as number[];
  expect(entries[0]).toBe(before);
  expect(entries[1]).toBeGreaterThan(before!);
  expect(askLake(lake, EDGES)).toEqual(edgesOf(store));
});

test('a rebuild keeps the numbers of entries, and records no facts again', async () => {
  const { path } = await someWeeks();
  const lake = tempDir();
  addLake(path, lake);
  await runSuccessfully(['lake', 'ship', '--once', '--db', path]);
  const shipNewCrawl = async (target: string): Promise<number[]> => {
    {
      await using store = openStore(path);
      await store.write.openCrawls([spec({ target })], 1);
    }
    await runSuccessfully(['lake', 'ship', '--once', '--db', path]);
    const found = askLake(lake, 'select distinct entry from crawls order by 1');
    return found.flat() as number[];
  };
  const before = await shipNewCrawl('one');
  await rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });
  const after = await shipNewCrawl('two');
  expect(after.slice(0, -1)).toEqual(before);
  expect(after.at(-1)).toBeGreaterThan(before.at(-1)!);
});
