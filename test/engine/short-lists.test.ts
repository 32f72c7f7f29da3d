import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decideFinalEnd, isEvidence } from '#service/kinds/decide-end.ts';
import { prepareShortLists } from '#store/evidence/short-lists.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { readerOf } from '../store/support.ts';
import { crawlAgainst, followers, people, profile, reference } from './support.ts';

const nasa = reference('1', 'nasa');
const members = (shown: number) => Array.from({ length: shown }, (_, n) => reference(String(n + 2), `s${n + 2}`));

/** A service with one account, whose followers and count a test changes. */
async function serve(state: { shown: number; count: number | null }) {
  const crawls = await crawlAgainst({
    'user-profile': () => profile('1', 'nasa', 3, state.count === null ? {} : { followers: state.count }),
    followers: () => followers(nasa, members(state.shown), null),
    following: () => people('following', nasa, members(state.shown), null),
  });
  const { run, store, asked } = crawls;
  return {
    state,
    store,
    asked,
    crawl: async () => (await run('followers', 'id:1')).crawl,
    endedEdges: () => readerOf(store).prepare('select count(*) from follows where ended_at is not null').pluck().get(),
    missedEdges: () =>
      readerOf(store).prepare('select count(*) from follows where first_missed_at is not null').pluck().get(),
  };
}

const CUT_SHORT = { state: 'capped', reason: 'list_cut_short' };

describe('a list of followers that lacks stored ones (invariant 7; spec, Endpoint rules 6)', () => {
  it.each([
    [20, 1, 20],
    [15, 5, 15],
    [60, 45, 60],
    [200, 151, 200],
    [20, 1, null],
    [15, 14, null],
    // The count fell by less than the list did.
    [60, 45, 50],
  ])('is no evidence: %i, then %i beside a count of %s', async (first, shown, count) => {
    const { state, crawl, missedEdges } = await serve({ shown: first, count: count === null ? null : first });
    expect(await crawl()).toMatchObject({ state: 'complete' });
    Object.assign(state, { shown, count });
    for (let n = 0; n < 3; n++) expect(await crawl()).toMatchObject(CUT_SHORT);
    expect(missedEdges()).toBe(0);
  });

  it.each([
    [20, 1, 20, 1, 19],
    // One more is missing than the count says.
    [20, 14, 20, 15, 6],
    // Counts contain accounts that lists hide.
    [20, 15, 33, 28, 5],
    [400, 396, 400, 398, 4],
  ])('is evidence: %i, then %i; counts of %i and %i', async (first, shown, before, after, ended) => {
    const { state, crawl, endedEdges } = await serve({ shown: first, count: before });
    await crawl();
    Object.assign(state, { shown, count: after });
    expect(await crawl()).toMatchObject({ state: 'complete' });
    expect(endedEdges()).toBe(0);
    expect(await crawl()).toMatchObject({ state: 'complete' });
    expect(endedEdges()).toBe(ended);
  });

  it('is compared with the last list that was evidence, not with one that was cut short', async () => {
    const { state, crawl, missedEdges } = await serve({ shown: 30, count: 30 });
    await crawl();
    Object.assign(state, { shown: 10 });
    await crawl();
    Object.assign(state, { shown: 9 });
    expect(await crawl()).toMatchObject(CUT_SHORT);
    Object.assign(state, { shown: 28, count: 28 });
    expect(await crawl()).toMatchObject({ state: 'complete' });
    expect(missedEdges()).toBe(2);
  });

  it('is also cut short if it lacks accounts that another list has shown in the meantime', async () => {
    const { crawl, store } = await serve({ shown: 20, count: 20 });
    const { startedAt } = await crawl();
    using db = openDatabase(store.path);
    const list = { side: 'followers', owner: '1', startedAt: startedAt! } as const;
    const { readOwner, readFacts } = prepareShortLists(db);
    const reasonOf = (missing: number) => {
      const facts = readFacts(list, readOwner(list)!, { shown: 20 - missing, seen: 20, lacked: 0 });
      return decideFinalEnd('followers', { state: 'complete', ending: 'served' }, { list: facts })?.reason;
    };
    expect([0, 1, 2, 19].map(reasonOf)).toEqual([undefined, undefined, 'list_cut_short', 'list_cut_short']);
  });

  it('has no count of a profile that was read after its last request', async () => {
    const { crawl, store } = await serve({ shown: 20, count: 20 });
    const { startedAt } = await crawl();
    using db = openDatabase(store.path);
    const list = { side: 'followers', owner: '1', startedAt: startedAt! } as const;
    const { readOwner } = prepareShortLists(db);
    expect(readOwner(list)).toMatchObject({ count: 20 });
    expect(readOwner({ ...list, startedAt: 0, finishedAt: startedAt! - 1 })).toMatchObject({ count: null });
  });

  it('is not accepted as the first one if it lacks many', async () => {
    const { state, crawl, missedEdges, store } = await serve({ shown: 20, count: 20 });
    await crawl();
    const { $client } = openDatabase(store.path);
    $client.exec('delete from _list_snapshots');
    $client.close();
    Object.assign(state, { shown: 17 });
    expect(await crawl()).toMatchObject(CUT_SHORT);
    Object.assign(state, { shown: 19 });
    expect(await crawl()).toMatchObject({ state: 'complete' });
    expect(missedEdges()).toBe(1);
  });
});

test("the owner's profile is requested for a first list and for one that lacks stored accounts", async () => {
  const { state, crawl, asked } = await serve({ shown: 20, count: 20 });
  const requestsOf = async (): Promise<readonly string[]> => {
    asked.length = 0;
    await crawl();
    return [...asked];
  };
  const [list, count] = ['followers 1', 'user-profile nasa'];
  expect(await requestsOf()).toEqual([list, count]);
  expect(await requestsOf()).toEqual([list]);
  Object.assign(state, { shown: 22 });
  expect(await requestsOf()).toEqual([list]);
  Object.assign(state, { shown: 21 });
  expect(await requestsOf()).toEqual([list, count]);
});

test('closing requests without a response open the circuit: an outage of the profiles costs few of them (invariant 9)', async () => {
  const { run, asked } = await crawlAgainst({
    'user-profile': () => ({ status: 503 }),
    followers: ({ restId }) => followers(reference(restId!, `owner${restId}`), members(20), null),
  });
  for (let id = 101; id <= 112; id++)
    expect((await run('followers', `id:${id}`)).crawl).toMatchObject({ state: 'complete' });
  expect(asked.filter((one) => one.startsWith('user-profile')).length).toBeLessThanOrEqual(6);
});

test('lists that shrink as their count does are evidence, and others are not but for one account or 0.5 %', () => {
  const size = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(size, size, size, size, (baselineSize, shown, baselineCount, count) => {
      const unexplained = baselineSize - shown - (baselineCount - count);
      const isFew = unexplained <= 1 || unexplained * 200 <= baselineSize;
      expect(isEvidence({ baselineSize, shown, baselineCount, count })).toBe(isFew);
    }),
  );
});
