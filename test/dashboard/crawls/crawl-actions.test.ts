import { onTestFinished, expect, test } from 'vitest';
import { createCrawlActions } from '../../../src/run/actions/crawl-actions.ts';
import { openStore, type Store } from '../../../src/store/store.ts';
import { startTestDashboard } from '../support.ts';
import { fetchWithToken, TOKEN } from '../token.ts';
import { createCrawlStore } from './crawl-store.ts';

/** A dashboard with actions, its store, and the ids that were queued for workers. */
async function startWritable(count: number) {
  const path = createCrawlStore(count);
  const store = openStore(path);
  onTestFinished(() => store[Symbol.asyncDispose]());
  const queued: number[] = [];
  const notifier = { dispatch: async (ids: readonly number[]) => void queued.push(...ids) };
  const { url } = await startTestDashboard(path, { actions: createCrawlActions({ store, notifier }) });
  return { url, store, queued };
}

async function post(url: string, path: string, input: unknown, headers: Record<string, string> = {}) {
  const response = await fetchWithToken(`${url}/api/actions/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as { result?: unknown; error?: string } };
}

const statesOf = (store: Store, ids: readonly number[]) => store.read.crawls(ids).map(({ state }) => state);

test('changes need the token, and come from no other site', async () => {
  const { url, store } = await startWritable(10);
  for (const [path, input] of [
    ['crawls/cancel', { ids: [1] }],
    ['crawls/resume', { ids: [3] }],
    ['crawls/repeat', { ids: [6] }],
  ] as const) {
    expect(await post(url, path, input, { authorization: '' })).toMatchObject({ status: 403 });
    expect(await post(url, path, input, { authorization: 'Bearer wrong' })).toMatchObject({ status: 403 });
    expect(await post(url, path, input, { origin: 'http://evil.example' })).toMatchObject({ status: 403 });
  }
  expect(statesOf(store, [1, 3, 6])).toEqual(['queued', 'failed', 'complete']);
  expect(store.read.crawls([11])).toEqual([]);
});

test('a dashboard that only reads changes nothing', async () => {
  const { url } = await startTestDashboard(createCrawlStore(10));
  expect(await post(url, 'crawls/cancel', { ids: [1] })).toMatchObject({ status: 403 });
});

test('cancels and resumes the matching crawls, and no others', async () => {
  const { url, store, queued } = await startWritable(100);
  // Of 100 crawls, 30 are queued; the even ones are crawls of followers.
  const queuedIds = Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => id % 10 < 3);
  const followers = queuedIds.filter((id) => id % 2 === 0);
  const others = queuedIds.filter((id) => id % 2 === 1);
  const cancelled = await post(url, 'crawls/cancel', { query: 'kind=followers', expected: followers.length });
  expect(cancelled).toMatchObject({ status: 200, body: { result: { cancelled: followers.length } } });
  expect(new Set(statesOf(store, followers))).toEqual(new Set(['cancelled']));
  expect(new Set(statesOf(store, others))).toEqual(new Set(['queued']));

  const failed = Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => [3, 4].includes(id % 10));
  const resumed = await post(url, 'crawls/resume', { query: 'state=failed', expected: failed.length });
  expect(resumed).toMatchObject({ status: 200, body: { result: { resumed: failed.length, refused: [] } } });
  expect(new Set(statesOf(store, failed))).toEqual(new Set(['queued']));
  expect(new Set(queued)).toEqual(new Set(failed));
});

test('changes nothing if other crawls match than the user has seen', async () => {
  const { url, store } = await startWritable(100);
  const { status, body } = await post(url, 'crawls/cancel', { query: 'state=queued', expected: 29 });
  expect(status).toBe(400);
  expect(body.error).toBe('nothing was changed: 30 crawls match now, not 29');
  expect(statesOf(store, [1, 2, 10])).toEqual(['queued', 'queued', 'queued']);
});

test('crawls again what has ended, and says what cannot be resumed', async () => {
  const { url, store, queued } = await startWritable(10);
  expect(await post(url, 'crawls/repeat', { ids: [6] })).toMatchObject({ body: { result: { opened: [11] } } });
  expect(store.read.crawls([11])).toMatchObject([{ target: 'user_6', options: '{"maxPages":6}', state: 'queued' }]);
  expect(queued).toEqual([11]);
  expect(await post(url, 'crawls/resume', { ids: [7] })).toMatchObject({
    body: { result: { resumed: 0, refused: ['it is complete'] } },
  });
});

test.each([{}, { ids: [] }, { ids: ['1'] }, { ids: [1.5] }, { query: 'state=queued' }, { ids: [999] }, null])(
  '%j names no crawls: 400',
  async (input) => {
    const { url } = await startWritable(10);
    expect(await post(url, 'crawls/cancel', input)).toMatchObject({ status: 400 });
  },
);
