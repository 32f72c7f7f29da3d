import { expect, test } from 'vitest';
import { readCrawlDetail } from '#analysis/crawls/crawl-detail.ts';
import { listCrawls } from '#analysis/crawls/crawl-list.ts';
import { readOverview } from '#analysis/crawls/crawl-overview.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { newStore, pageOf, spec } from '../store/support.ts';

const NOW = 1_000_000;

/** A store with crawls in several states; the paused ones are the most. */
async function someStore() {
  const store = newStore();
  const specs = Array.from({ length: 60 }, (_, n) =>
    spec({ target: `id:${n}`, kind: n % 2 ? 'profile' : 'followers' }),
  );
  const opened = await store.write.openCrawls(specs, 1, { owner: 'host/1/a', until: NOW + 5 });
  await store.write.openCrawls(specs.slice(0, 30), 1, { owner: 'host/2/b', until: NOW + 9 });
  for (const [n, { id }] of opened.slice(0, 50).entries()) {
    const { leaseToken: lease } = (await store.write.takeLease(id, 100 + n))!;
    if (n < 8) await store.write.commitPage(pageOf(id, lease, 200 + n, { end: { state: 'complete' } }));
    if (n < 8 || n % 10 === 0) continue;
    const pause = { state: 'paused', reason: n % 3 === 0 ? 'retry' : 'quota', resumeAt: NOW + n } as const;
    await store.write.releaseLease({
      crawlId: id,
      lease,
      failures: 0,
      requests: [],
      at: 300 + ((n * 7) % 40),
      ...pause,
    });
  }
  return store;
}

/** Runs `read` on the store, and returns how SQLite goes about each statement that it prepares. */
function plansOf(path: string, read: (db: Db) => unknown): string[] {
  const db = openDatabase(path);
  const { $client } = db;
  const prepare = $client.prepare.bind($client);
  const statements: string[] = [];
  $client.prepare = ((sql: string) => {
    statements.push(sql);
    return prepare(sql);
  }) as typeof $client.prepare;
  read(db);
  const plans = statements.flatMap((sql) => {
    const parameters = (sql.match(/\?|@\w+/g) ?? []).map(() => 1);
    const bound = sql.includes('@') ? [{ shown: 1, ids: '[]' }] : parameters;
    return (prepare(`explain query plan ${sql}`).all(...bound) as { detail: string }[]).map(({ detail }) => detail);
  });
  $client.close();
  return plans;
}

test('the overview matches the crawl rows', async () => {
  const store = await someStore();
  const rows = store.read.crawls(Array.from({ length: 60 }, (_, n) => n + 1));
  const db = openDatabase(store.path);
  const found = readOverview(db, NOW);
  db.$client.close();
  const of = (state: string) => rows.filter((row) => row.state === state);
  expect(found.counts.reduce((sum, { n }) => sum + n, 0)).toBe(60);
  for (const { kind, state, n } of found.counts) expect(of(state).filter((row) => row.kind === kind)).toHaveLength(n);
  const moving = [...of('running'), ...of('paused')].toSorted((a, b) => b.updatedAt - a.updatedAt || a.id - b.id);
  expect(found.active).toEqual({ crawls: moving.slice(0, 10), total: moving.length });
  const paused = ['quota', 'retry'].map((reason) => {
    const those = of('paused').filter((row) => row.reason === reason);
    return { reason, n: those.length, until: Math.min(...those.map(({ resumeAt }) => resumeAt!)) };
  });
  expect(found.paused).toEqual(paused);
  expect(found.softLocks).toEqual([
    { lockedBy: 'host/1/a', lockExpiresAt: NOW + 5 },
    { lockedBy: 'host/2/b', lockExpiresAt: NOW + 9 },
  ]);
});

test('a run without its claim is not counted', async () => {
  const store = await someStore();
  await store.write.setSoftLock({ owner: 'host/1/a', until: 0 });
  const db = openDatabase(store.path);
  expect(readOverview(db, NOW).softLocks).toEqual([{ lockedBy: 'host/2/b', lockExpiresAt: NOW + 9 }]);
  db.$client.close();
});

test('queries of crawls use indexes and scan no table', async () => {
  const { path } = await someStore();
  const reads: ((db: Db) => unknown)[] = [
    (db) => readOverview(db, NOW),
    (db) => readCrawlDetail(db, 3),
    (db) => listCrawls(db, { states: ['failed'], limit: 5 }),
    (db) => listCrawls(db, { kinds: ['profile'], limit: 5 }),
    (db) => listCrawls(db, { states: ['paused', 'failed'], kinds: ['profile'], limit: 5 }),
  ];
  for (const read of reads) {
    const plans = plansOf(path, read);
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter((plan) => /^SCAN (crawls|c)\b(?!.*INDEX)/.test(plan))).toEqual([]);
  }
});
