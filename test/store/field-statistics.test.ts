import { expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { summaryInspector } from '#service/contract/accepted-resources.ts';
import { createCollector } from '#store/normalise/collector.ts';
import { newStore, openLeased, pageOf, readerOf, rows } from './support.ts';

/** A page of so many items, of which so many have a description. */
function page(items: number, described: number) {
  const collector = createCollector();
  for (let i = 0; i < items; i++)
    collector.accept(summaryInspector, {
      path: `/data/entries/${i}/content/user`,
      value: { id: `${i}`, name: null, ...(i < described ? { description: 'x' } : {}), shoe_size: 9 },
    });
  return collector.buildRows();
}

it('counts the fields of the first ten items of a page, and drift, by endpoint and day', async () => {
  const store = newStore();
  const { id, lease } = await openLeased(store, 0);
  const commit = (at: number, shown: ReturnType<typeof page>, endpoint = 'followers') =>
    store.write.commitPage(pageOf(id, lease, at, { rows: rows(shown), endpoints: [endpoint], responseIndex: 0 }));
  await commit(5, page(25, 12));
  await commit(DAY - 1, page(4, 1));
  await commit(DAY, page(3, 0));
  await commit(DAY, page(1, 1), 'following');
  // A page that is not stored is not counted.
  await expect(
    store.write.commitPage(
      pageOf(id, lease + 1, 6, { rows: rows(page(10, 10)), endpoints: ['followers'], responseIndex: 0 }),
    ),
  ).rejects.toThrow('stale');
  expect(
    readerOf(store)
      .prepare(
        `select endpoint, day, field, is_drift as drift, inspected_count, filled_count from v_fields_per_day
         where field in ('summary.id', 'summary.name', 'summary.description', 'user.shoe_size') order by 1, 2, 3`,
      )
      .raw()
      .all(),
  ).toEqual([
    ['followers', '1970-01-01', 'summary.description', 0, 14, 11],
    ['followers', '1970-01-01', 'summary.id', 0, 14, 14],
    ['followers', '1970-01-01', 'summary.name', 0, 14, 0],
    ['followers', '1970-01-01', 'user.shoe_size', 1, 2, 2],
    ['followers', '1970-01-02', 'summary.description', 0, 3, 0],
    ['followers', '1970-01-02', 'summary.id', 0, 3, 3],
    ['followers', '1970-01-02', 'summary.name', 0, 3, 0],
    ['followers', '1970-01-02', 'user.shoe_size', 1, 1, 1],
    ['following', '1970-01-02', 'summary.description', 0, 1, 1],
    ['following', '1970-01-02', 'summary.id', 0, 1, 1],
    ['following', '1970-01-02', 'summary.name', 0, 1, 0],
    ['following', '1970-01-02', 'user.shoe_size', 1, 1, 1],
  ]);
});
