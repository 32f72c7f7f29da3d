import { expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { isIncomplete, planSearchBackfill, planTimelineBackfill } from '#library/run/backfill-plan.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { newStore, pageOf, rows, spec } from '../store/support.ts';

const WEEK = { from: 7 * DAY, to: 14 * DAY };

it('searches from when another account had the handle do not count (invariant 5)', async () => {
  const store = newStore();
  const { id } = (await store.write.openCrawls([spec({ kind: 'search', target: 'from:nasa' })], 0))[0]!;
  const { leaseToken: lease } = (await store.write.takeLease(id, 0))!;
  const see = (at: number, restId: string, screenName: string) =>
    store.write.commitPage(
      pageOf(id, lease, at, { rows: rows({ users: [{ restId, detailLevel: 'summary', screenName }] }) }),
    );
  // One day of it is full, and an item cannot be read.
  const rejects = [{ path: '/data/entries/0', reason: 'has no id', sample: '{}' }];
  const saturated = { newerId: '9', olderId: '8' };
  const search = (at: number) =>
    store.write.commitPage(
      pageOf(id, lease, at, { rows: rows({ rejects }), searchedWindow: { query: 'from:nasa', ...WEEK, saturated } }),
    );
  const planned = (account: string) => {
    const { timelineCrawl, search: then } = planTimelineBackfill(store.read, {
      account,
      wanted: WEEK,
      days: undefined,
    });
    const { searched, windows, saturated: full, rejected } = then!;
    return { walks: timelineCrawl !== undefined, searched, windows, full, rejected };
  };
  const all = { walks: true, searched: [], windows: [WEEK], full: [], rejected: [] };
  const nothing = { walks: false, searched: [WEEK], windows: [], full: [WEEK], rejected: [WEEK] };

  await see(20 * DAY, '1', 'nasa');
  await search(21 * DAY);
  expect(planned('nasa')).toEqual(nothing);
  // It goes to somebody else.
  await see(22 * DAY, '1', 'nasa_old');
  await see(23 * DAY, '2', 'nasa');
  expect(planned('nasa')).toEqual(all);
  expect(planned('id:1')).toEqual(all);
  await search(24 * DAY);
  expect(planned('id:2')).toEqual(nothing);
  // And is given back: what was searched while it was away says nothing.
  await see(25 * DAY, '2', 'other');
  await see(26 * DAY, '1', 'nasa');
  expect(planned('id:1')).toEqual(all);
});

it('a search with rejected items is incomplete until they can be read (invariant 5)', async () => {
  const store = newStore();
  const { id } = (await store.write.openCrawls([spec({ kind: 'search', target: 'moon' })], 0))[0]!;
  const { leaseToken: lease } = (await store.write.takeLease(id, 0))!;
  const planned = () => planSearchBackfill(store.read, { query: 'moon', wanted: [WEEK], days: undefined });
  const rejects = [{ path: '/data/entries/0', reason: 'has no id', sample: '{}' }];
  await store.write.commitPage(
    pageOf(id, lease, 21 * DAY, { rows: rows({ rejects }), searchedWindow: { query: 'moon', ...WEEK } }),
  );
  expect(planned()).toMatchObject({ searched: [WEEK], windows: [], rejected: [WEEK] });
  expect(isIncomplete(planned())).toBe(true);
  const { $client } = openDatabase(store.path);
  $client.exec('update rejects set resolved_at = 1');
  $client.close();
  expect(isIncomplete(planned())).toBe(false);
});
