import { expect, onTestFinished, test } from 'vitest';
import { createNewCrawlActions } from '../../../src/run/actions/new-crawl-actions.ts';
import { openStore } from '../../../src/store/store.ts';
import { startTestDashboard } from '../support.ts';
import { fetchWithToken, TOKEN } from '../token.ts';
import { createCrawlStore } from './crawl-store.ts';

async function startWritable() {
  const store = openStore(createCrawlStore(10));
  onTestFinished(() => store[Symbol.asyncDispose]());
  const queued: number[] = [];
  const notifier = { dispatch: async (ids: readonly number[]) => void queued.push(...ids) };
  const { url } = await startTestDashboard(store.path, { actions: createNewCrawlActions({ store, notifier }) });
  const post = async (path: string, input: unknown, authorization = `Bearer ${TOKEN}`) => {
    const headers = { 'content-type': 'application/json', authorization };
    const response = await fetchWithToken(`${url}/api/actions/crawls/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    return { status: response.status, body: (await response.json()) as { result?: unknown; error?: string } };
  };
  return { store, queued, post };
}

const REQUEST = { kind: 'profile', targets: ['@NASA', 'esa', 'nasa', 'no handle!'], priority: 'backfill' };

test('a plan counts targets once, names those that are left out, and queues nothing', async () => {
  const { store, post } = await startWritable();
  const { body } = await post('plan', REQUEST);
  // A profile is one request; with its redirections, at most some more.
  expect(body.result).toMatchObject({
    crawls: 2,
    min: 2,
    skipped: [expect.stringMatching(/^"no handle!" is not an account\. Name it /)],
  });
  expect(store.read.crawls([11])).toEqual([]);
});

test('queues the planned crawls, and nothing else than was planned', async () => {
  const { store, queued, post } = await startWritable();
  expect(await post('create', { ...REQUEST, expected: 3 })).toMatchObject({
    status: 400,
    body: { error: 'nothing was queued: the plan was for 3 crawls, not 2' },
  });
  expect(await post('create', { ...REQUEST, expected: 2 }, 'Bearer wrong')).toMatchObject({ status: 403 });
  expect(store.read.crawls([11])).toEqual([]);
  expect(await post('create', { ...REQUEST, expected: 2 })).toMatchObject({ body: { result: { opened: [11, 12] } } });
  expect(queued).toEqual([11, 12]);
  expect(
    store.read
      .crawls([11, 12])
      .map(({ target }) => target)
      .toSorted(),
  ).toEqual(['esa', 'nasa']);
});

test.each([
  [{ ...REQUEST, targets: [] }, 'name at least one target'],
  [{ ...REQUEST, targets: [' '] }, 'name at least one target'],
  [{ ...REQUEST, maxPages: 3 }, 'crawls of the kind profile have no page limit'],
  [{ ...REQUEST, since: '2025-01-31' }, 'crawls of the kind profile have no first day'],
  [{ ...REQUEST, kind: 'timeline', since: '9999-01-31' }, 'the first day is in the future'],
  [{ ...REQUEST, kind: 'nothing' }, 'kind must be one of profile, '],
])('%j is refused in the words of the form', async (input, message) => {
  const { post } = await startWritable();
  const { status, body } = await post('plan', input);
  expect(status).toBe(400);
  expect(body.error).toContain(message);
  expect(JSON.stringify(body)).not.toContain('--');
});

test.each([
  { ...REQUEST, kind: 'nothing' },
  { ...REQUEST, targets: [] },
  { ...REQUEST, targets: 'nasa' },
  { ...REQUEST, priority: 'urgent' },
  { ...REQUEST, maxPages: 0 },
  { ...REQUEST, maxPages: 3 },
  { ...REQUEST, since: 'yesterday' },
])('%j is refused: 400', async (input) => {
  const { post } = await startWritable();
  expect(await post('plan', input)).toMatchObject({ status: 400 });
});
