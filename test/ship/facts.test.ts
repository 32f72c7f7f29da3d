import { getTableColumns } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { StaleLeaseError } from '#base/errors.ts';
import { FACT_TABLES, type Facts } from '#store/outbox/fact-tables.ts';
import {
  addShipTarget,
  type OutboxEntry,
  readEntries,
  readLastEntry,
  readShipTargets,
  removeShipTarget,
  startEntriesAfter,
} from '#store/outbox/ship-targets.ts';
import { tweetHistory, userHistory } from '#store/schema/tables.ts';
import { openDatabase, openReadOnly } from '#store/sqlite/database.ts';
import type { Store } from '#store/store.ts';
import { newStore, openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';

function addTarget(store: Store, address = '/lake', maxBacklogBytes = 1e9): void {
  using db = openDatabase(store.path);
  addShipTarget(db, { address, maxBacklogBytes, at: 1 });
}

function entriesOf(store: Store): OutboxEntry[] {
  using db = openReadOnly(store.path);
  return readEntries(db, 0, 1000);
}

/** The facts of all entries, by table. */
function factsOf(store: Store): Facts {
  const facts: Record<string, unknown[]> = {};
  for (const entry of entriesOf(store))
    for (const [table, found] of Object.entries(JSON.parse(entry.facts) as Facts)) (facts[table] ??= []).push(...found);
  return facts as Facts;
}

/** A page of followers of account 1. */
async function storeFollowers(store: Store, lease?: number) {
  const crawl = await openLeased(store, 5, { kind: 'followers', target: 'id:1' });
  await store.write.commitPage(
    pageOf(crawl.id, lease ?? crawl.lease, 10, {
      rows: rows({
        users: [
          user('1', { detailLevel: 'reference', screenName: 'a' }),
          user('2', { verified: true, followersCount: 3 }),
        ],
        follows: [{ side: 'followers', owner: '1', members: ['2'] }],
      }),
      requests: [{ endpoint: 'followers', at: 10, status: 200, ms: 7, bytes: 9 }],
      progress: progressOf({ targetRestId: '1', items: 1 }),
      end: { state: 'complete', ending: 'served' },
    }),
  );
  return crawl;
}

test('sightings have every column whose history the store keeps', () => {
  const columnsOf = (table: Parameters<typeof getTableColumns>[0]): string[] =>
    Object.values(getTableColumns(table))
      .map(({ name }) => name)
      .filter((name) => !['id', 'user_id', 'tweet_id', 'last_seen_at', 'changed_at'].includes(name))
      .map((name) => (name === 'author_id' ? 'author_rest_id' : name));
  expect(Object.keys(FACT_TABLES.user_sightings.columns)).toEqual(expect.arrayContaining(columnsOf(userHistory)));
  expect(Object.keys(FACT_TABLES.tweet_sightings.columns)).toEqual(expect.arrayContaining(columnsOf(tweetHistory)));
});

test('the keys of facts are columns of their tables', () => {
  for (const { columns, key } of Object.values(FACT_TABLES))
    expect(Object.keys(columns)).toEqual(expect.arrayContaining([...key]));
});

test('a page stores its facts with its rows, also without a body', async () => {
  const store = newStore();
  addTarget(store);
  const { id } = await storeFollowers(store);
  const facts = factsOf(store);
  expect(facts).toMatchObject({
    edge_sightings: [[10, 'followers', '1', '2']],
    user_sightings: [
      [10, '1', 'reference', 'a', null, null, null, null, null, null],
      [10, '2', 'summary', null, null, null, null, 3, null, true],
    ],
    requests: [[10, 'followers', 200, 7, 9, null]],
    list_snapshots: [['followers', '1', 5, 10, null, 1, null]],
  });
  const state = Object.keys(FACT_TABLES.crawls.columns).indexOf('state');
  expect(facts.crawls?.map((crawl) => crawl[state])).toEqual(['queued', 'complete']);
  expect(entriesOf(store).map(({ crawlId }) => crawlId)).toEqual([id, id, id]);
});

test('a page of tweets stores them with their position, their parts and what the list lacks', async () => {
  const store = newStore();
  addTarget(store);
  const { id, lease } = await openLeased(store, 5, { kind: 'search', target: 'cats' });
  const shown = tweet('7', { text: 'a #cat', hashtags: ['cat'], authorRestId: '1', createdAt: 3 });
  await store.write.commitPage(
    pageOf(id, lease, 10, {
      rows: rows({
        users: [user('1')],
        tweets: [shown, tweet('8')],
        tweetLists: [{ kind: 'search', target: 'cats', tweets: ['7', '8'] }],
      }),
    }),
  );
  const facts = factsOf(store);
  expect(facts.search_hits).toEqual([
    [10, 'cats', '7', 0],
    [10, 'cats', '8', 1],
  ]);
  expect(facts.tweet_sightings?.[0]?.slice(0, 5)).toEqual([10, '7', '1', 'a #cat', 3]);
  expect(facts.tweet_sightings?.[0]?.slice(-3)).toEqual(['["cat"]', null, null]);
});

test('a store without a target records nothing, and one that loses its target keeps nothing', async () => {
  const store = newStore();
  await storeFollowers(store);
  expect(factsOf(store)).toEqual({});
  addTarget(store);
  await storeFollowers(store);
  expect(factsOf(store)).not.toEqual({});
  using db = openDatabase(store.path);
  expect(removeShipTarget(db, '/lake')).toBe(true);
  expect(factsOf(store)).toEqual({});
});

test('a page that is not stored has no facts', async () => {
  const store = newStore();
  addTarget(store);
  await expect(storeFollowers(store, 99)).rejects.toThrow(StaleLeaseError);
  // The crawl was created.
  expect(Object.keys(factsOf(store))).toEqual(['crawls']);
});

test('requests without a page, cancellations and resumptions are facts', async () => {
  const store = newStore();
  addTarget(store);
  const { id, lease } = await openLeased(store, 5);
  const requests = [{ endpoint: 'followers', at: 6, status: 500, ms: 1, bytes: 0, error: 'no answer' }];
  await store.write.releaseLease({ crawlId: id, lease, at: 7, state: 'queued', failures: 1, requests });
  await store.write.cancelCrawls([id], 8);
  await store.write.resumeCrawls([{ id, options: '{}' }], 9);
  const { requests: sent, crawls } = factsOf(store);
  expect(sent).toEqual([[6, 'followers', 500, 1, 0, 'no answer']]);
  const state = Object.keys(FACT_TABLES.crawls.columns).indexOf('state');
  expect(crawls?.map((crawl) => [crawl[0], crawl[state]])).toEqual([
    [5, 'queued'],
    [8, 'cancelled'],
    [9, 'queued'],
  ]);
});

test('the backlog of a target is the bytes that it does not have, and is full at its maximum', async () => {
  const store = newStore();
  addTarget(store, '/small', 100);
  expect(store.read.fullShipBacklog()).toBeUndefined();
  await storeFollowers(store);
  const bytes = entriesOf(store).reduce((sum, { facts }) => sum + facts.length, 0);
  expect(store.read.fullShipBacklog()).toEqual({ address: '/small', bytes, maxBytes: 100 });
  // A target that is added later does not need what is there.
  addTarget(store, '/late');
  using db = openDatabase(store.path);
  expect(readShipTargets(db).map(({ address, waitingBytes }) => [address, waitingBytes])).toEqual([
    ['/small', bytes],
    ['/late', 0],
  ]);
  addTarget(store, '/small', 1e9);
  expect(store.read.fullShipBacklog()).toBeUndefined();
});

test('entries get their next number while pages commit', () => {
  const store = newStore();
  using db = openDatabase(store.path);
  using page = openDatabase(store.path);
  page.$client.pragma('busy_timeout = 0');
  const { prepare } = db.$client;
  const refusals: unknown[] = [];
  // After the last entry was read, before the number is set.
  db.$client.prepare = ((sql: string) => {
    if (sql.startsWith('delete')) refusals.push(catchError(() => addShipTarget(page, { address: '/lake', at: 1 })));
    return prepare.call(db.$client, sql);
  }) as typeof prepare;
  startEntriesAfter(db, 7);
  expect(refusals).toEqual([expect.objectContaining({ code: 'SQLITE_BUSY' })]);
  expect(readLastEntry(db)).toBe(7);
});

function catchError(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}
