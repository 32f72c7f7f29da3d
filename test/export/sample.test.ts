import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { exportTables, type TableName } from '#files/export/tables/export-tables.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { withWorld } from '../e2e/support.ts';
import { createStoreFile } from '../support/store-file.ts';
import { readRows, snapshotOf } from './support.ts';

const world = withWorld(60, 7);
const sampled = Object.keys(exportTables).filter((name) => name !== 'coverage') as TableName[];

test('a sample has the ids with the smallest SHA-256 of seed and id, as docs/exports.md says', () => {
  const snapshot = snapshotOf(world.file);
  const ids = readRows(snapshot, 'tweets').map(({ rest_id }) => rest_id as string);
  const digest = (id: string): string => createHash('sha256').update(`some seed:${id}`).digest('hex');
  const expected = new Set(ids.toSorted((a, b) => (digest(a) < digest(b) ? -1 : 1)).slice(0, 40));
  const drawn = readRows(snapshot, 'tweets', { sample: { size: 40, seed: 'some seed' } }).map(({ rest_id }) => rest_id);
  expect(drawn).toEqual(ids.filter((id) => expected.has(id)));
});

test.each(sampled)(
  'a sample of %s has so many of its rows, the same ones for a seed, and all for a large size',
  (name) => {
    const snapshot = snapshotOf(world.file);
    const draw = (size: number, seed: string): string[] =>
      readRows(snapshot, name, { sample: { size, seed } }).map((row) => JSON.stringify(row));
    const all = readRows(snapshot, name).map((row) => JSON.stringify(row));
    const few = draw(7, 'a');
    expect(few).toHaveLength(7);
    expect(all).toEqual(expect.arrayContaining(few));
    expect(draw(7, 'a')).toEqual(few);
    expect(draw(7, 'b')).not.toEqual(few);
    expect(draw(9, 'a')).toEqual(expect.arrayContaining(few));
    expect(draw(all.length + 1, 'a')).toEqual(all);
  },
);

test('a sample does not depend on the order in which the rows arrived', () => {
  const stores = [1, -1].map((direction) => {
    const file = createStoreFile();
    using db = openDatabase(file);
    const insert = db.$client.prepare('insert into users (rest_id, first_seen_at) values (?, 1)');
    const ids = Array.from({ length: 200 }, (_, i) => String(1000 + i));
    for (const id of direction === 1 ? ids : ids.toReversed()) insert.run(id);
    const rows = readRows(snapshotOf(file), 'users', { sample: { size: 20, seed: 's' } });
    return rows.map(({ rest_id }) => rest_id as string).toSorted();
  });
  expect(stores[0]).toHaveLength(20);
  expect(stores[0]).toEqual(stores[1]);
});

test('every row is drawn equally often: 5 of 20 accounts with 400 seeds', () => {
  const file = createStoreFile();
  {
    using db = openDatabase(file);
    for (let id = 1; id <= 20; id++)
      db.$client.prepare('insert into users (rest_id, first_seen_at) values (?, 1)').run(String(id));
  }
  const snapshot = snapshotOf(file);
  const counts = new Map<unknown, number>();
  for (let seed = 0; seed < 400; seed++) {
    for (const { rest_id } of readRows(snapshot, 'users', { sample: { size: 5, seed: String(seed) } }))
      counts.set(rest_id, (counts.get(rest_id) ?? 0) + 1);
  }
  expect(counts.size).toBe(20);
  // The variance of a count of a simple random sample without replacement; the statistic has 19 degrees of freedom.
  const expected = 100;
  const chiSquare = [...counts.values()].reduce(
    (sum, count) => sum + (count - expected) ** 2 / (expected * (15 / 19)),
    0,
  );
  expect(chiSquare).toBeLessThan(43.8); // the quantile of 0.999
  expect(chiSquare).toBeGreaterThan(5.4); // and of 0.001
});
