import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/follow.ts';
import { byClass } from '../../src/quota/classes.ts';
import { newStore, spec } from '../store/support.ts';

const NOW = 100_000;
const since = { startedAt: NOW - 1000, now: NOW, items: 0 };

test('crawls whose class pauses are told as paused, also those that were to look again sooner, or had not begun', async () => {
  const store = newStore();
  await store.write.open([spec({ target: 'a' }), spec({ target: 'b' })], 1);
  const { lease } = (await store.write.lease(1, 2))!;
  const line = (pausedUntil: number | undefined) =>
    progressLine(store, store.read.family([1, 2]), since, {
      ...{ left: 4, limit: 12 },
      classes: byClass(() => ({ pausedUntil })),
    });
  expect(line(NOW + 58_000)).not.toContain('paused');
  const back = { crawlId: 1, lease, at: 3, failures: 0, requests: [] } as const;
  await store.write.handBack({ ...back, state: 'paused', reason: 'quota', resumeAt: NOW - 200 });
  expect(line(undefined)).not.toContain('paused');
  expect(line(NOW + 58_000)).toContain('0 of 2 crawls ended · paused: the quota is low, goes on in about 58 s');
});
