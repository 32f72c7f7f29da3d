import { expect, test } from 'vitest';
import { type Clock, DAY } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import { createBudgetCounter } from '#crawl/gates/budget-counter.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import type { Store } from '#store/store.ts';
import { newStore, pageOf, readerOf, spec } from '../store/support.ts';
import { crawlAgainst, profile, reference, timeline } from './support.ts';

const NOON = Date.UTC(2026, 0, 5, 12);

const clockAt = (now: number): Clock & { now: () => number } => ({ now: () => now, sleep: () => Promise.resolve() });

const counterAt = ({ queries }: Store, now: number) => createBudgetCounter({ queries, clock: clockAt(now) });

/** A request of a crawl as it is stored with a page. */
const sent = (at: number) => ({ endpoint: 'followers', at, status: 200, ms: 1, bytes: 1 });

/** How many requests may be sent until the budget is spent, and until when it is. */
async function drain(take: () => Promise<(() => void) | GateHold>): Promise<{ taken: number; until: number }> {
  for (let taken = 0; taken < 1000; taken++) {
    const reserved = await take();
    if (typeof reserved !== 'function') return { taken, until: reserved.until };
  }
  throw new Error('it is never spent');
}

test('a process sends exactly the budget of its run, however much is stored', async () => {
  const store = newStore();
  const runId = await store.write.createRun(NOON, { perRun: 5 });
  const [{ id } = { id: 0 }] = await store.write.openCrawls([spec({ runId })], NOON);
  const budgets = counterAt(store, NOON);
  await budgets.reserve(runId);
  const putBack = (await budgets.reserve(runId)) as () => void;
  const { leaseToken: lease } = (await store.write.takeLease(id, NOON))!;
  await store.write.commitPage(pageOf(id, lease, NOON, { requests: [sent(NOON), sent(NOON)] }));
  putBack();
  // Two are stored, and this process knows of one that was not sent.
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 3, until: Infinity });
  // Another process knows what is stored.
  const other = counterAt(store, NOON);
  expect((await drain(() => other.reserve(runId))).taken).toBe(3);
});

test('requests in flight of a killed worker count against the budget, before and after the next lease', async () => {
  const store = newStore();
  const runId = await store.write.createRun(NOON, { perRun: 20 });
  const [one, two] = await store.write.openCrawls([spec({ runId }), spec({ runId, target: 'b' })], NOON);
  const killed = (await store.write.takeLease(one!.id, NOON, 8))!;
  await store.write.commitPage(pageOf(one!.id, killed.leaseToken, NOON, { requests: [sent(NOON), sent(NOON)] }));

  // Another process, with a crawl of its own: it may send 20 - 2 - 8, and then waits for what the first one reports.
  const budgets = counterAt(store, NOON);
  using own = budgets.trackCrawl(two!.id, 0);
  await store.write.takeLease(two!.id, NOON, 8);
  own.begin();
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 10, until: NOON + 5000 });

  // It takes the crawl over: the eight are spent for good.
  using taken = budgets.trackCrawl(one!.id, 8);
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 0, until: NOON + 5000 });
  const { leaseToken: lease } = (await store.write.takeLease(one!.id, NOON, 8))!;
  taken.begin();
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 0, until: Infinity });
  await store.write.commitPage(pageOf(one!.id, lease, NOON, { end: { state: 'complete' } }));
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 0, until: Infinity });
});

test('requests in flight of a cancelled crawl count as spent, and nobody waits for them', async () => {
  const store = newStore();
  const runId = await store.write.createRun(NOON, { perRun: 10, perDay: 9 });
  const [{ id } = { id: 0 }] = await store.write.openCrawls([spec({ runId })], NOON);
  await store.write.takeLease(id, NOON, 8);
  await store.write.cancelCrawls([id], NOON);
  const budgets = counterAt(store, NOON);
  expect(await drain(() => budgets.reserve(runId))).toEqual({ taken: 1, until: NOON + DAY / 2 });
  const tomorrow = counterAt(store, NOON + DAY);
  expect(await drain(() => tomorrow.reserve(runId))).toEqual({ taken: 2, until: Infinity });
});

test('the daily budget covers all runs of a job until midnight UTC, by the request rows', async () => {
  const store = newStore();
  const job = { name: 'j', job: '{}', schedule: '{}' };
  await store.write.setSchedule([job], NOON);
  const budget = { perDay: 4 };
  const run = async (slot: number, target: string) => {
    const start = { name: 'j', slot, at: NOON, specs: [spec({ target })], budget, problem: null };
    const opened = await store.write.openScheduledRun(start);
    return store.read.crawl(opened![0]!.id)!;
  };
  const first = await run(1, 'a');
  const second = await run(2, 'b');
  expect(first.runId).not.toBe(second.runId);
  const { leaseToken: lease } = (await store.write.takeLease(first.id, NOON))!;
  await store.write.commitPage(pageOf(first.id, lease, NOON, { requests: [sent(NOON - DAY), sent(NOON), sent(NOON)] }));

  const today = counterAt(store, NOON);
  expect(await drain(() => today.reserve(second.runId!))).toEqual({ taken: 2, until: NOON + DAY / 2 });
  expect((await drain(() => today.reserve(first.runId!))).taken).toBe(0);
  const tomorrow = counterAt(store, NOON + DAY);
  expect((await drain(() => tomorrow.reserve(second.runId!))).taken).toBe(4);

  const rows = readerOf(store).prepare('select day, run_id as run, requests from _run_usage_by_day order by 1').all();
  expect(rows).toEqual([
    { day: formatDay(NOON - DAY), run: first.runId, requests: 1 },
    { day: formatDay(NOON), run: first.runId, requests: 2 },
  ]);
});

test('an unfinished crawl that is requested again belongs to the newest run, with its tree', async () => {
  const store = newStore();
  const old = await store.write.createRun(NOON, { perRun: 1 });
  const [{ id } = { id: 0 }] = await store.write.openCrawls([spec({ runId: old })], NOON);
  const { leaseToken: lease } = (await store.write.takeLease(id, NOON))!;
  await store.write.commitPage(pageOf(id, lease, NOON, { children: [spec({ kind: 'profile', target: 'id:1' })] }));
  const family = () => store.read.crawlTree([id]).map(({ runId }) => runId);
  expect(family()).toEqual([old, old]);
  const runId = await store.write.createRun(NOON, { perRun: 9 });
  await store.write.openCrawls([spec({ runId })], NOON);
  expect(family()).toEqual([runId, runId]);
});

const alice = reference('1', 'alice');
const script = {
  'user-profile': () => profile('1', 'alice'),
  'user-tweets': ({ cursor = '0' }: Record<string, string>) =>
    timeline(alice, [`${10 - Number(cursor)}@${28 - Number(cursor)}`], String(Number(cursor) + 1)),
};

test('a crawl whose run has spent its budget ends partial after its last page, and resumes there', async () => {
  const { run, asked, store } = await crawlAgainst(script);
  const { crawl, slice } = await run('timeline', 'alice', {}, { perRun: 4 });
  expect(asked).toHaveLength(4);
  expect(slice).toEqual({ next: 'done' });
  expect(crawl).toMatchObject({ state: 'partial', reason: 'max_requests', pages: 3, requests: 4, cursor: '3' });
  expect(readerOf(store).prepare('select reason from gaps').pluck().all()).toEqual(['max_requests']);
  await store.write.resumeCrawls([{ id: crawl.id, options: '{}' }], Date.now());
  expect(store.read.crawl(crawl.id)).toMatchObject({ state: 'queued', runId: null, cursor: '3' });
});

test('a crawl that has spent the daily budget is paused until the next day without a retry', async () => {
  const { run, asked } = await crawlAgainst(script);
  const { crawl, slice } = await run('timeline', 'alice', {}, { perDay: 2 });
  const midnight = Date.parse(formatDay(Date.now())) + DAY;
  expect(asked).toHaveLength(2);
  expect(slice).toEqual({ next: 'wait', until: midnight });
  const paused = { state: 'paused', reason: 'budget', resumeAt: midnight };
  expect(crawl).toMatchObject({ ...paused, consecutiveFailures: 0, pages: 1 });
});
