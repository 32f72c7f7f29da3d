import { expect, test } from 'vitest';
import { findSearchTarget } from '#store/retention/pruned-searches.ts';
import { emptyStore } from '../world/worlds.ts';

test('a search belongs to the crawls of its own spelling, and to another one only without these', () => {
  using db = emptyStore();
  for (const target of ['#Tea', '#tea', '#Milk'])
    db.$client
      .prepare(
        `insert into crawls (kind, target, options, state, created_at, updated_at, priority)
         values ('search', ?, '{}', 'complete', 1, 1, 'backfill')`,
      )
      .run(target);
  const dates = ' since:2024-01-01 until:2024-02-01';
  expect(['#tea', '#Tea', `#tea${dates}`, `#Tea${dates}`, '#milk', '#other'].map(findSearchTarget(db))).toEqual([
    '#tea',
    '#Tea',
    '#tea',
    '#Tea',
    '#Milk',
    '#other',
  ]);
});
