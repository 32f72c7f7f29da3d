import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readRates } from '#analysis/crawls/throughput.ts';
import { MINUTE } from '#base/clock.ts';
import { crawls, requests } from '#store/schema/tables.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { tempFile } from '../support/temp.ts';

const NOW = 1_800_000_000_000;
const open = (): Db => {
  const db = openDatabase(tempFile('store.db'));
  onTestFinished(() => void db.$client.close());
  return db;
};
const request = (at: number, more: object = {}) => ({
  crawlId: 1,
  endpoint: 'e',
  status: 200,
  durationMs: 1,
  responseBytes: 10,
  sentAt: at,
  ...more,
});
const crawl = (id: number, items: number, sent: number) => ({
  ...({
    id,
    kind: 'followers',
    target: `t${id}`,
    options: '{}',
    priority: 'interactive',
    state: 'running',
  } as const),
  items,
  requests: sent,
  createdAt: 1,
  updatedAt: 1,
});

test('rates count every request of a period, although rows are stored up to five minutes out of order', () => {
  const db = open();
  const minutes = fc.double({ min: 0, max: 5, noNaN: true });
  const gaps = fc.array(fc.record({ gap: minutes, late: minutes }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, (steps) => {
      db.delete(requests).run();
      let stored = NOW - 100 * MINUTE;
      const times = steps.map(({ gap, late }) => Math.round((stored += gap * MINUTE) - late * MINUTE));
      db.insert(requests)
        .values(times.map((at) => request(at)))
        .run();
      expect(readRates(db, NOW).map((rate) => rate.requests)).toEqual(
        [1, 5, 60].map((n) => times.filter((at) => at > NOW - n * MINUTE).length),
      );
    }),
    { numRuns: 60 },
  );
});

test('items are exact for crawls within the period, and estimated by requests for others', () => {
  const db = open();
  db.insert(crawls)
    .values([crawl(1, 100, 2), crawl(2, 90, 3)])
    .run();
  db.insert(requests)
    .values([
      ...[50, 40].map((ago) => request(NOW - ago * MINUTE, { crawlId: 2 })),
      request(NOW - 0.5 * MINUTE, { crawlId: 2 }),
      request(NOW - 20_000, { crawlId: 1 }),
      request(NOW - 10_000, { crawlId: 1, status: null, responseBytes: 0 }),
    ])
    .run();
  const [minute, five, hour] = readRates(db, NOW);
  expect(minute).toEqual({ ms: MINUTE, requests: 3, failed: 1, notFound: 0, bytes: 20, items: 100 + 30 });
  expect(five).toMatchObject({ items: 130 });
  expect(hour).toMatchObject({ requests: 5, items: 190 });
});

test('a store without requests has no rate', () => {
  expect(readRates(open(), NOW).map(({ requests: n, items }) => [n, items])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});
