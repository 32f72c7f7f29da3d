import { expect, test } from 'vitest';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import { newStore, pageOf, progressOf, rows, spec } from './support.ts';

const COMPLETE: CrawlEnd = { state: 'complete', ending: 'served' };

/** A store with a function that starts a run of the job `nightly`, and one that commits a page of a crawl. */
function storeWithJob() {
  const store = newStore();
  const { write } = store;
  let at = 1000;
  return {
    store,
    async start(targets: readonly string[], problem: string | null = null): Promise<number[]> {
      at += 1000;
      if (at === 2000) await write.setSchedule([{ name: 'nightly', job: '{}', schedule: '{}' }], at);
      const specs = targets.map((target) => spec({ target }));
      const crawls = await write.openScheduledRun({ name: 'nightly', slot: at, at, specs, problem });
      return crawls!.map(({ id }) => id);
    },
    async commit(crawlId: number, more: Partial<Parameters<typeof pageOf>[3]> = {}): Promise<number[]> {
      const { leaseToken: lease } = (await write.takeLease(crawlId, at))!;
      const page = pageOf(crawlId, lease, at, { progress: progressOf({ items: 1 }), ...more });
      return (await write.commitPage(page)).children.map(({ id }) => id);
    },
  };
}

test('the results of runs count root crawls, and look for news in their descendants', async () => {
  const { store, start, commit } = storeWithJob();
  await start([], 'no such table: people');
  const [anna, ben] = await start(['anna', 'ben']);
  await commit(anna!, { end: { state: 'failed', reason: 'unreachable' } });
  const [child] = await commit(ben!, { end: COMPLETE, children: [spec({ kind: 'profile', target: 'cleo' })] });
  const runs = () => store.read.jobRuns('nightly', 10);
  const base = { error: null, crawls: 2, failed: 1, cancelled: 0, reason: 'unreachable' };
  expect(runs()).toMatchObject([
    { ...base, isUnfinished: true, hasNews: false },
    { error: 'no such table: people', crawls: 0, failed: 0, reason: null, isUnfinished: false, hasNews: false },
  ]);
  await commit(child!, { end: COMPLETE });
  expect(runs()[0]).toMatchObject({ ...base, isUnfinished: false, hasNews: false });

  const [again] = await start(['ben']);
  const user = { restId: '7', detailLevel: 'profile', screenName: 'ben' } as const;
  const followers = { owner: '7', side: 'followers', members: ['8'] } as const;
  const users = [user, { restId: '8', detailLevel: 'summary' } as const];
  await commit(again!, { rows: rows({ users, follows: [followers] }), end: COMPLETE });
  expect(runs()[0]).toMatchObject({ crawls: 1, failed: 0, isUnfinished: false, hasNews: true });
  expect(store.read.jobRuns('nightly', 1)).toHaveLength(1);
  expect(store.read.jobRuns('nightly', 2, [runs()[0]!.runId])).toEqual([runs()[1]]);
  expect(store.read.jobRuns('other', 10)).toEqual([]);
});

test('the last success of a job is that of its newest run with one; before it, its first run counts', async () => {
  const { store, start, commit } = storeWithJob();
  expect(store.read.jobSuccesses()).toEqual([]);
  const failed = { state: 'failed', reason: 'unreachable' } as const;
  const [first] = await start(['anna']);
  await commit(first!, { end: failed });
  expect(store.read.jobSuccesses()).toEqual([{ job: 'nightly', at: 2000 }]);
  const [second, third] = await start(['anna', 'ben']);
  await commit(second!, { end: COMPLETE });
  await commit(third!, { end: failed });
  const [fourth] = await start(['anna']);
  await commit(fourth!, { end: failed });
  expect(store.read.jobSuccesses()).toEqual([{ job: 'nightly', at: 3000 }]);
});

test('a crawl that a later run joins belongs to that run', async () => {
  const { store, start, commit } = storeWithJob();
  const [crawl] = await start(['anna']);
  expect(await start(['anna'])).toEqual([crawl]);
  await commit(crawl!, { end: COMPLETE });
  expect(store.read.jobRuns('nightly', 10)).toMatchObject([
    { crawls: 1, isUnfinished: false },
    { crawls: 0, error: null },
  ]);
});

test('crawls are counted by state, with zeros, and paused ones by reason', async () => {
  const { store, start, commit } = storeWithJob();
  const [anna, ben] = await start(['anna', 'ben', 'cleo']);
  await commit(anna!, { end: COMPLETE });
  const { leaseToken: lease } = (await store.write.takeLease(ben!, 1))!;
  const paused = { state: 'paused', reason: 'quota', failures: 0, requests: [] } as const;
  await store.write.releaseLease({ crawlId: ben!, lease, at: 2, ...paused });
  const { byState, pausedByReason } = store.read.crawlCounts();
  expect(Object.fromEntries(byState.map(({ state, count }) => [state, count]))).toEqual({
    queued: 1,
    running: 0,
    paused: 1,
    complete: 1,
    capped: 0,
    partial: 0,
    failed: 0,
    cancelled: 0,
  });
  expect(pausedByReason).toEqual([{ reason: 'quota', count: 1 }]);
});
