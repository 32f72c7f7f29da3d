import { expect, test } from 'vitest';
import { createProgressFormatter } from '../../src/cli/crawl/progress-formatter.ts';
import { mapPriorities } from '../../src/quota/priorities.ts';
import { newStore, pageOf, rows, spec, progressOf } from '../store/support.ts';

const NOW = 100_000;
const pausedUntil = (until: number | undefined) => ({
  ...{ left: 4, limit: 12 },
  priorities: mapPriorities(() => ({ pausedUntil: until })),
});

test('crawls of a paused priority are shown as paused, also those that have not started', async () => {
  const store = newStore();
  await store.write.openCrawls([spec({ target: 'a' }), spec({ target: 'b' })], 1);
  const { leaseToken: lease } = (await store.write.takeLease(1, 2))!;
  const line = (until: number | undefined) => {
    const read = store.read.crawlTree([1, 2]);
    return createProgressFormatter(store, read, NOW - 1000)(read, { now: NOW, quota: pausedUntil(until) });
  };
  expect(line(NOW + 58_000)).not.toContain('paused');
  const back = { crawlId: 1, lease, at: 3, failures: 0, requests: [] } as const;
  await store.write.releaseLease({ ...back, state: 'paused', reason: 'quota', resumeAt: NOW - 200 });
  expect(line(undefined)).not.toContain('paused');
  expect(line(NOW + 58_000)).toContain('0 of 2 crawls ended · paused: low quota, resumes in about 58 s');
});

test('the rate has a unit and does not fall during a pause, and the time left remains visible', async () => {
  const store = newStore();
  const account = { restId: '7', screenName: 'nasa', followersCount: 400, detailLevel: 'profile' } as const;
  await store.write.openCrawls([spec({ target: 'id:7' })], 1);
  const progress = createProgressFormatter(store, store.read.crawlTree([1]), NOW);
  const { leaseToken: lease } = (await store.write.takeLease(1, 2))!;
  const request = { endpoint: 'followers', at: 3, status: 200, ms: 5, bytes: 9 } as const;
  await store.write.commitPage(
    pageOf(1, lease, 3, {
      rows: rows({ users: [account] }),
      requests: Array.from({ length: 20 }, () => request),
      progress: progressOf({ cursor: 'c', targetRestId: '7', pages: 20, items: 200 }),
    }),
  );
  // 200 of 400 items and 20 requests in 10 s.
  expect(progress(store.read.crawlTree([1]), { now: NOW + 10_000 })).toBe(
    'followers id:7 · about 10 s left · 200 of up to 400 items · 2.0 requests/s · 20 pages',
  );
  const back = { crawlId: 1, lease, at: 4, failures: 0, requests: [] } as const;
  await store.write.releaseLease({ ...back, state: 'paused', reason: 'quota', resumeAt: NOW + 70_000 });
  const quota = pausedUntil(NOW + 70_000);
  progress(store.read.crawlTree([1]), { now: NOW + 10_000, quota });
  expect(progress(store.read.crawlTree([1]), { now: NOW + 60_000, quota })).toBe(
    'followers id:7 · paused: low quota, resumes in about 10 s · about 20 s left · ' +
      '200 of up to 400 items · quota 4 of 12 · 2.0 requests/s · 20 pages',
  );
  const { leaseToken: again } = (await store.write.takeLease(1, 5))!;
  expect(again).toBeDefined();
  expect(progress(store.read.crawlTree([1]), { now: NOW + 70_000 })).toContain('2.0 requests/s');
});
