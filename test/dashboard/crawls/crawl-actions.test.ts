import { expect, test } from 'vitest';
import { createCrawlActions } from '#library/run/actions/crawl-actions.ts';
import type { Store } from '#store/store.ts';
import { startWritable } from '../support.ts';
import { createCrawlStore } from './crawl-store.ts';

const start = (count: number) => startWritable(createCrawlStore(count), createCrawlActions);

const statesOf = (store: Store, ids: readonly number[]) => store.read.crawls(ids).map(({ state }) => state);

test('cancels and resumes the matching crawls, and no others', async () => {
  const { store, queued, post } = await start(100);
  // Of 100 crawls, 30 are queued; the even ones are crawls of followers.
  const queuedIds = Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => id % 10 < 3);
  const followers = queuedIds.filter((id) => id % 2 === 0);
  const others = queuedIds.filter((id) => id % 2 === 1);
  const cancelled = await post('crawls/cancel', { query: 'kind=followers', expected: followers.length });
  expect(cancelled).toMatchObject({ status: 200, body: { result: { cancelled: followers.length } } });
  expect(new Set(statesOf(store, followers))).toEqual(new Set(['cancelled']));
  expect(new Set(statesOf(store, others))).toEqual(new Set(['queued']));

  const failed = Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => [3, 4].includes(id % 10));
  const resumed = await post('crawls/resume', { query: 'state=failed', expected: failed.length });
  expect(resumed).toMatchObject({ status: 200, body: { result: { resumed: failed.length, refused: [] } } });
  expect(new Set(statesOf(store, failed))).toEqual(new Set(['queued']));
  expect(new Set(queued)).toEqual(new Set(failed));
});

test('changes nothing if other crawls match than the user has seen', async () => {
  const { store, post } = await start(100);
  const { status, body } = await post('crawls/cancel', { query: 'state=queued', expected: 29 });
  expect(status).toBe(400);
  expect(body.error).toBe('nothing was changed: 30 crawls match now, not 29');
  expect(statesOf(store, [1, 2, 10])).toEqual(['queued', 'queued', 'queued']);
});

test('crawls again what has ended, and says what cannot be resumed', async () => {
  const { store, queued, post } = await start(10);
  expect(await post('crawls/repeat', { ids: [6] })).toMatchObject({ body: { result: { opened: [11] } } });
  expect(store.read.crawls([11])).toMatchObject([{ target: 'user_6', options: '{"maxPages":6}', state: 'queued' }]);
  expect(queued).toEqual([11]);
  expect(await post('crawls/resume', { ids: [7] })).toMatchObject({
    body: { result: { resumed: 0, refused: ['it is complete'] } },
  });
});

test('what names no crawls is refused: 400', async () => {
  const { post } = await start(10);
  for (const input of [
    {},
    { ids: [] },
    { ids: ['1'] },
    { ids: [1.5] },
    { query: 'state=queued' },
    { ids: [999] },
    null,
  ])
    expect(await post('crawls/cancel', input), JSON.stringify(input)).toMatchObject({ status: 400 });
});
