import { expect, test } from 'vitest';
import type { CrawlData } from '#dashboard/server/api/crawl.ts';
import type { CrawlListData } from '#dashboard/server/api/crawls.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import { openLeased, newStore, pageOf, progressOf } from '../../store/support.ts';
import { crawlRow, createStoreOf, requestRow } from '../store-rows.ts';
import { readJson, shareDashboard, startTestDashboard } from '../support.ts';
import { createCrawlStore } from './crawl-store.ts';

const shared = shareDashboard((file) => createCrawlStore(200, file));

/** The ids from 1 to a number whose last digit is among these, the newest first. */
const idsEndingIn = (count: number, digits: readonly number[]): number[] =>
  Array.from({ length: count }, (_, i) => count - i).filter((id) => digits.includes(id % 10));

test('a list has its first crawls, the counts of all facets, and what can be cancelled and resumed', async () => {
  const { url } = shared;
  const { body } = await readJson<CrawlListData>(`${url}/api/crawls?state=failed,cancelled`);
  expect(body.rows.map(({ id }) => id)).toEqual(idsEndingIn(200, [3, 4, 5]));
  expect(body).toMatchObject({ total: 60, unfinished: 0, resumable: 60, all: 200 });
  const countsOf = (name: string) =>
    Object.fromEntries(body.facets.find((one) => one.name === name)!.values.map(({ value, n }) => [value, n]));
  expect(countsOf('state')).toEqual({ queued: 60, complete: 80, failed: 40, cancelled: 20 });
  expect(countsOf('reason')).toEqual({ not_found: 40 });
  // Odd ids are timelines without a job, and the job has run 1.
  expect(countsOf('kind')).toEqual({ timeline: 40, followers: 20 });
  expect(countsOf('job')).toEqual({ nightly: 20 });
});

test('further crawls follow the first ones, in any order', async () => {
  const { url } = shared;
  for (const query of ['', 'sort=target', 'sort=requests&reverse=1&kind=timeline']) {
    const ids: number[] = [];
    let total = 0;
    for (let after: string | null = ''; after !== null;) {
      const position: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
      const { body }: { body: CrawlListData } = await readJson<CrawlListData>(`${url}/api/crawls?${query}${position}`);
      ids.push(...body.rows.map(({ id }) => id));
      ({ total, next: after } = body);
    }
    expect([ids.length, new Set(ids).size], query).toEqual([total, total]);
  }
});

test('a wrong address is refused with a message', async () => {
  for (const query of ['state=good', 'sort=colour', 'run=x', 'after=x', 'priority=urgent']) {
    const { status, body } = await readJson<{ error: string }>(`${shared.url}/api/crawls?${query}`);
    expect([status, body.error], query).toEqual([400, expect.stringContaining('must be')]);
  }
});

test('the page of a crawl has its evidence, timeline, events, child crawls and rejects', async () => {
  const store = newStore();
  const { id, lease } = await openLeased(store, 1000, { kind: 'timeline', options: '{"maxPages":3}' });
  const request = (at: number, status: number | null, error?: string) => ({
    endpoint: 'user-tweets',
    at,
    status: status ?? undefined,
    ms: 50,
    bytes: 100,
    error,
  });
  await store.write.commitPage(
    pageOf(id, lease, 9000, {
      requests: [request(2000, 500, 'out'), request(5000, 200)] as never,
      progress: progressOf({ cursor: 'A', items: 7, targetRestId: '11' }),
      children: [{ kind: 'profile', target: 'id:5', options: '{}', priority: 'interactive' }],
    }),
  );
  await store.write.cancelCrawls([id], 20_000);
  await store.write.resumeCrawls([{ id, options: '{"maxPages":3}' }], 30_000);
  const { leaseToken } = (await store.write.takeLease(id, 31_000))!;
  await store.write.commitPage(
    pageOf(id, leaseToken, 40_000, {
      requestCursor: 'A',
      requests: [request(35_000, 200)] as never,
      progress: progressOf({ items: 2, targetRestId: '11', checkpoint: { ...NEW_CHECKPOINT, scan: 'unordered' } }),
      end: { state: 'complete', ending: 'served' },
    }),
  );
  const { url } = await startTestDashboard(store.path);
  const { body } = await readJson<CrawlData>(`${url}/api/crawls/${id}`);
  expect(body.line).toMatchObject({ id, state: 'complete', pages: 2, items: 9, requests: 3 });
  expect(body.options).toBe('at most 3 pages');
  expect(body.evidence).toEqual([
    'All that was requested is stored, by evidence.',
    'The last page of the service had no next cursor: the service ended the list.',
    'The list is not in chronological order: the next crawl reads all of it again.',
  ]);
  expect(body.timeline.points.at(-1)!.slice(1)).toEqual([3, 2, 1]);
  expect(body.children).toMatchObject({ total: 1, rows: [{ kind: 'profile' }] });
  expect(body.tree).toEqual({ pages: 2, requests: 3 });
  expect(body.events.map(({ text }) => text).toSorted()).toEqual([
    'Cancelled by a user',
    'Created',
    'Ended complete',
    'Resumed by a user',
    'Started',
    'user-tweets: status 500, out',
  ]);
  expect(body.events.map(({ at }) => at)).toEqual(body.events.map(({ at }) => at).toSorted((a, b) => b - a));
  expect(await readJson(`${url}/api/crawls/999`)).toMatchObject({ status: 404 });
  expect(await readJson(`${url}/api/crawls/abc`)).toMatchObject({ status: 404 });
});

test('child crawls are below their parents until something is selected, and have the handles of their accounts', async () => {
  const path = createStoreOf({
    users: [{ rest_id: '11', screen_name: 'nasa', has_stale_columns: 0, first_seen_at: 1 }],
    crawls: [
      crawlRow({ id: 1, state: 'complete' }),
      ...[2, 3].map((id) =>
        crawlRow({
          id,
          kind: 'profile',
          target: 'id:11',
          target_rest_id: '11',
          parent_id: 1,
          root_id: 1,
          state: 'failed',
          options: `{"n":${id}}`,
        }),
      ),
      crawlRow({ id: 4, target: 'id:5', target_rest_id: '5', parent_id: 3, root_id: 1 }),
      crawlRow({ id: 5, state: 'complete' }),
    ],
  });
  const { url } = await startTestDashboard(path);
  const read = async (query: string) => (await readJson<CrawlListData>(`${url}/api/crawls?${query}`)).body;
  const folded = await read('');
  expect(folded).toMatchObject({ isFolded: true, total: 5, all: 5, unfinished: 1 });
  expect(folded.rows.map(({ id, children }) => [id, children])).toEqual([
    [5, ''],
    [1, '2 child crawls, 2 failed'],
  ]);
  const all = await read('children=1');
  expect(all.rows.map(({ target }) => target)).toEqual(['account5', 'id:5', 'nasa', 'nasa', 'account1']);
  expect(all.rows[2]!.children).toBe('1 child crawl, 1 unfinished');
  expect(all.isFolded).toBe(false);
  expect((await read('state=failed')).rows.map(({ id }) => id)).toEqual([3, 2]);
  expect((await read('q=%231')).rows.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  expect((await read('q=%233')).rows.map(({ id }) => id)).toEqual([4, 3]);
});

test('a page has its own numbers, and those of its crawl tree', async () => {
  const path = createStoreOf({
    crawls: [
      crawlRow({ id: 1, state: 'complete', pages: 2, requests: 3 }),
      crawlRow({ id: 2, state: 'complete', pages: 4, requests: 5, parent_id: 1, root_id: 1 }),
      crawlRow({ id: 3, state: 'failed', reason: 'bug', pages: 8, requests: 9, parent_id: 2, root_id: 1 }),
    ],
    _crawl_tree: [
      { root_id: 1, descendant_id: 2 },
      { root_id: 1, descendant_id: 3 },
      { root_id: 2, descendant_id: 3 },
    ],
  });
  const { url } = await startTestDashboard(path);
  const { body } = await readJson<CrawlData>(`${url}/api/crawls/1`);
  expect(body).toMatchObject({ line: { pages: 2, requests: 3 }, tree: { pages: 14, requests: 17 } });
  expect(body.children).toMatchObject({ total: 2, rows: [{ id: 2, pages: 4, requests: 5 }] });
  expect((await readJson<CrawlData>(`${url}/api/crawls/3`)).body.tree).toBeNull();
});

test('a crawl waits between usable responses, for the reason that requests and the quota show', async () => {
  const minute = (n: number): number => 1_700_000_000_000 + n * 60_000;
  const sent = (at: number, status: number | null = 200) => ({
    ...requestRow({ crawl_id: 1, sent_at: minute(at), status, duration_ms: 0 }),
  });
  const path = createStoreOf({
    crawls: [
      crawlRow({
        id: 1,
        state: 'complete',
        priority: 'backfill',
        created_at: minute(0),
        started_at: minute(0),
        updated_at: minute(100),
        finished_at: minute(100),
      }),
      crawlRow({ id: 2, state: 'queued' }),
    ],
    requests: [
      sent(0),
      sent(1),
      sent(10),
      sent(11),
      sent(30),
      sent(31),
      sent(40, 429),
      sent(50),
      sent(51),
      sent(61, 503),
      sent(70, null),
      sent(80),
      sent(81),
      sent(100),
    ],
    _quota_samples: [
      ...[5, 11, 51].map((at) => ({ sampled_at: minute(at), request_limit: 100, remaining: at === 5 ? 90 : 20 })),
      { sampled_at: minute(81), request_limit: 100, remaining: 21 },
    ],
  });
  const { url } = await startTestDashboard(path);
  const { waits } = (await readJson<CrawlData>(`${url}/api/crawls/1`)).body;
  expect(waits.map(({ from, to, cause }) => [from, to, cause])).toEqual([
    [minute(1), minute(10), 'unknown'],
    [minute(11), minute(30), 'quota'],
    [minute(31), minute(40), 'unknown'],
    [minute(40), minute(50), 'quota'],
    [minute(51), minute(61), 'quota'],
    [minute(61), minute(80), 'failure'],
    [minute(81), minute(100), 'unknown'],
  ]);
  expect((await readJson<CrawlData>(`${url}/api/crawls/2`)).body.waits).toEqual([]);
});

test('texts are single lines of limited length', async () => {
  const hostile = `a\u202eb\n\u0000${'x'.repeat(5000)}`;
  const path = createStoreOf({
    crawls: [crawlRow({ id: 1, state: 'partial', reason: 'rejected_items', error: hostile })],
    crawl_sources: [
      { crawl_id: 1, trawl_version: '1', service_host: hostile, key_label: hostile, first_used_at: 1, last_used_at: 2 },
    ],
    requests: [requestRow({ crawl_id: 1, status: null, error: hostile })],
  });
  const { url } = await startTestDashboard(path);
  const { body } = await readJson<CrawlData>(`${url}/api/crawls/1`);
  const failure = body.events.find(({ text }) => text.includes('no response'));
  const texts = [body.lastError, body.sources[0]!.serviceHost, body.sources[0]!.keyLabel, failure?.text];
  for (const text of texts) {
    expect(text).toContain('a\uFFFDb');
    expect(text).not.toMatch(/[\u202e\n\0]/);
    expect(text!.length).toBeLessThan(400);
  }
});
