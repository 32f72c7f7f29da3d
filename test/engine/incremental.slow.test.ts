import { describe, expect, it } from 'vitest';
import type { Store } from '#store/store.ts';
import { readerOf } from '../store/support.ts';
import { days, livingList } from './living-list.ts';
import { crawlAgainst, coverageOf } from './support.ts';

const PAGE = 5;

async function withList(count: number) {
  const list = livingList({ pageSize: PAGE, items: days(count) });
  const { run, asked, store } = await crawlAgainst({ 'user-tweets': (parameters) => list.answer(parameters) });
  const requests = async (options = {}) => {
    const before = asked.length;
    const { crawl } = await run('timeline', 'id:1', options);
    return { ...crawl, asked: asked.slice(before).map((each) => each.split(' ')[2] ?? 'top') };
  };
  return { list, crawl: requests, store };
}

const stored = (store: Store): number[] =>
  readerOf(store).prepare('select cast(rest_id as int) from tweets order by 1 desc').pluck().all() as number[];
const ids = (count: number): number[] => days(count).map(({ id }) => id);

describe('an incremental crawl', () => {
  it('is not complete if it skipped rejected items of another crawl, even at the end of the list (invariant 5)', async () => {
    const { list, crawl, store } = await withList(40);
    list.broken.add(33);
    expect(await crawl({ maxPages: 3 })).toMatchObject({ state: 'partial' });
    list.add(2);
    expect(await crawl()).toMatchObject({
      state: 'partial',
      reason: 'rejected_items',
      ending: 'served',
      rejectedItems: 0,
      asked: ['top', '26', '21', '16', '11', '6'],
    });
    expect(stored(store)).toEqual(ids(42).filter((id) => id !== 33));
  });

  it('costs one request when nothing is new (invariant 9)', async () => {
    const { crawl, store } = await withList(23);
    expect(await crawl()).toMatchObject({ state: 'complete', ending: 'served', pages: 5 });
    const before = coverageOf(store);
    expect(await crawl()).toMatchObject({ state: 'complete', ending: 'joined', asked: ['top'], newItems: 0 });
    expect(coverageOf(store)).toEqual(before);
    expect(before).toEqual({ intervals: ['23 1 served'], gaps: [] });
  });

  it('stops at the page that reaches a covered interval', async () => {
    const { list, crawl, store } = await withList(23);
    await crawl();
    list.add(7);
    expect(await crawl()).toMatchObject({ state: 'complete', ending: 'joined', asked: ['top', '26'], newItems: 7 });
    expect(stored(store)).toEqual(ids(30));
    expect(coverageOf(store)).toEqual({ intervals: ['30 1 served'], gaps: [] });
  });

  it('is not stopped by a pinned item or any other stored item', async () => {
    const { list, crawl, store } = await withList(23);
    await crawl();
    list.pinned = list.items[12]!;
    list.add(12);
    expect(await crawl()).toMatchObject({ state: 'complete', ending: 'joined', newItems: 12 });
    expect(stored(store)).toEqual(ids(35));
  });

  it('fills the gap of a first crawl from the cursor at which that one stopped', async () => {
    const { list, crawl, store } = await withList(40);
    expect(await crawl({ maxPages: 2 })).toMatchObject({ state: 'partial', reason: 'max_pages', asked: ['top', '36'] });
    expect(coverageOf(store)).toEqual({ intervals: ['40 32 '], gaps: ['32 - max_pages'] });
    list.add(2);
    expect(await crawl()).toMatchObject({
      state: 'complete',
      ending: 'served',
      newItems: 32,
      asked: ['top', '31', '26', '21', '16', '11', '6'],
    });
    expect(stored(store)).toEqual(ids(42));
    expect(coverageOf(store)).toEqual({ intervals: ['42 1 served'], gaps: [] });
    expect(await crawl()).toMatchObject({ asked: ['top'] });
  });

  it('fills a gap between two intervals, and stops at the lower one', async () => {
    const { list, crawl, store } = await withList(40);
    await crawl();
    list.add(40);
    await crawl({ maxPages: 2 });
    expect(coverageOf(store)).toEqual({ intervals: ['80 72 ', '40 1 served'], gaps: ['72 40 max_pages'] });
    const { asked, ...again } = await crawl();
    expect(again).toMatchObject({ state: 'complete', ending: 'joined' });
    expect(asked).toEqual(['top', '71', '66', '61', '56', '51', '46', '41']);
    expect(stored(store)).toEqual(ids(80));
    expect(coverageOf(store)).toEqual({ intervals: ['80 1 served'], gaps: [] });
  });

  it('with --max-pages is complete if it reaches an interval first, else partial', async () => {
    const { list, crawl } = await withList(23);
    await crawl();
    expect(await crawl({ maxPages: 1 })).toMatchObject({ state: 'complete', ending: 'joined' });
    list.add(20);
    expect(await crawl({ maxPages: 1 })).toMatchObject({ state: 'partial', reason: 'max_pages', asked: ['top'] });
  });

  it('with --since stops at an interval down to that time, and a later crawl without it continues below', async () => {
    const { crawl, store } = await withList(40);
    const since = Date.UTC(2025, 0, 28);
    expect(await crawl({ since })).toMatchObject({ state: 'complete', ending: 'since', pages: 3 });
    expect(coverageOf(store)).toEqual({ intervals: ['40 27 '], gaps: ['27 - since'] });
    expect(await crawl({ since })).toMatchObject({ state: 'complete', ending: 'joined', asked: ['top'] });
    expect(await crawl()).toMatchObject({ state: 'complete', asked: ['top', '26', '21', '16', '11', '6'] });
    expect(stored(store)).toEqual(ids(40));
  });

  it('reads the whole list with --full-refresh', async () => {
    const { crawl } = await withList(23);
    await crawl();
    expect(await crawl({ fullRefresh: true })).toMatchObject({
      state: 'complete',
      ending: 'served',
      pages: 5,
      newItems: 0,
    });
  });

  it('skips rejected items, does not fetch them again, and is not complete (invariant 5)', async () => {
    const { list, crawl, store } = await withList(40);
    list.broken.add(20);
    expect(await crawl()).toMatchObject({ state: 'partial', reason: 'rejected_items', ending: 'served', pages: 8 });
    expect(coverageOf(store)).toEqual({ intervals: ['40 22 ', '18 1 served'], gaps: ['22 18 rejected_items'] });
    list.add(1);
    const joined = { state: 'partial', reason: 'rejected_items', ending: 'joined' };
    expect(await crawl()).toMatchObject({ ...joined, asked: ['top'] });
    list.broken.clear();
    expect(await crawl({ fullRefresh: true })).toMatchObject({ state: 'complete' });
    expect(coverageOf(store)).toEqual({ intervals: ['41 1 served'], gaps: [] });
  });
});

describe('a stale cursor', () => {
  it('restarts the crawl from the top through covered intervals, and is logged', async () => {
    const { list, crawl, store } = await withList(40);
    await crawl({ maxPages: 2 });
    list.add(1);
    let dead = true;
    list.onCursor = (cursor) => (cursor === '31' && dead ? 'refuse' : undefined);
    const { checkpoint, asked, ...again } = await crawl();
    expect(again).toMatchObject({ state: 'complete', ending: 'served' });
    expect(JSON.parse(checkpoint!)).toMatchObject({ refusedCursors: [expect.any(String)] });
    // From the top by its own cursors, whose pages begin elsewhere than the first crawl's.
    expect(asked).toEqual(['top', '31', 'top', '37', '32', '27', '22', '17', '12', '7', '2']);
    expect(stored(store)).toEqual(ids(41));
    expect(coverageOf(store)).toEqual({ intervals: ['41 1 served'], gaps: [] });
    dead = false;
  });

  it.each(['forget', 'empty'] as const)(
    'of another crawl that is answered as if new (%s) does so, too',
    async (how) => {
      const { list, crawl, store } = await withList(40);
      await crawl({ maxPages: 2 });
      list.add(1);
      list.onCursor = (cursor) => (cursor === '31' ? how : undefined);
      expect(await crawl()).toMatchObject({ state: 'complete', ending: 'served' });
      expect(stored(store)).toEqual(ids(41));
      expect(coverageOf(store)).toEqual({ intervals: ['41 1 served'], gaps: [] });
    },
  );

  it('that is refused repeatedly ends the crawl, and a resumed one starts at the top', async () => {
    const { list, crawl, store } = await withList(40);
    list.onCursor = (cursor) => (Number(cursor) < 20 ? 'refuse' : undefined);
    const dead = await crawl();
    expect(dead).toMatchObject({ state: 'partial', reason: 'cursor_refused', ending: null, cursor: null });
    expect(dead.asked).toEqual(['top', '36', '31', '26', '21', '16', 'top', '36', '31', '26', '21', '16']);
    expect(coverageOf(store).gaps).toEqual(['17 - cursor_refused']);
    list.onCursor = undefined;
    await store.write.resumeCrawls([{ id: dead.id, options: '{}' }], 1);
    expect(await crawl()).toMatchObject({ id: dead.id, state: 'complete', ending: 'served' });
    expect(stored(store)).toEqual(ids(40));
  });
});
