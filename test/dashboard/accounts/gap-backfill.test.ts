import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import type { AccountData } from '#dashboard/server/api/accounts.ts';
import { createBackfillActions } from '#library/run/actions/backfill-actions.ts';
import { openLeased, pageOf, progressOf } from '../../store/support.ts';
import { readJson, startWritable } from '../support.ts';
import { createAccountStore } from './account-store.ts';

/** A dashboard with actions, and the oldest gap of its store. */
async function openGap(bottom?: 'inferred') {
  const path = await createAccountStore(5, bottom && { bottom });
  const { url, store, queued, post } = await startWritable(path, createBackfillActions);
  const { lists } = (await readJson<AccountData>(`${url}/api/accounts/id:1`)).body;
  const { from, to } = lists.flatMap(({ periods }) => periods.filter((one) => one.isBackfillable)).at(-1)!;
  const send: typeof post = (action, ...more) => post(`backfills/${action}`, ...more);
  return { store, queued, post: send, gap: { restId: '1', from, to } };
}

const PLAN = { step: 'timeline', crawls: 1 };
/** The fixture has three crawls. */
const NEXT = 4;

test('a plan names the next step of a gap, and queues nothing', async () => {
  const { store, queued, post, gap } = await openGap();
  const { body } = await post('plan', gap);
  // At least the page that reaches the gap; the end of the timeline is unknown.
  expect(body.result).toMatchObject({ ...PLAN, min: 1, max: null });
  expect([queued, store.read.crawls([NEXT])]).toEqual([[], []]);
});

test('queues the planned crawl down to the start of the gap, and nothing else than was planned', async () => {
  const { store, queued, post, gap } = await openGap();
  const confirmed = { ...gap, step: 'timeline', expected: 1 };
  expect(await post('create', confirmed, { authorization: 'Bearer wrong' })).toMatchObject({ status: 403 });
  for (const changed of [{ expected: 2 }, { step: 'search' }, { step: undefined }])
    expect(await post('create', { ...confirmed, ...changed })).toMatchObject({
      status: 400,
      body: { error: 'nothing was queued: the plan has changed' },
    });
  expect([queued, store.read.crawls([NEXT])]).toEqual([[], []]);
  expect(await post('create', confirmed)).toMatchObject({ body: { result: { opened: [NEXT] } } });
  expect(queued).toEqual([NEXT]);
  const [crawl] = store.read.crawls([NEXT]);
  expect(crawl).toMatchObject({ kind: 'timeline', target: 'id:1', state: 'queued', priority: 'backfill' });
  expect(JSON.parse(crawl!.options)).toEqual({ since: gap.from });
  // The same click again joins the crawl.
  expect(await post('create', confirmed)).toMatchObject({ body: { result: { opened: [NEXT] } } });
});

test('where the timeline does not reach, the next step is a search, after one that shows the page size', async () => {
  const { store, post, gap } = await openGap('inferred');
  expect(await post('plan', gap)).toMatchObject({ body: { result: { step: 'page size', crawls: 1 } } });
  const { id, lease } = await openLeased(store, Date.now(), { kind: 'search', target: 'from:star' });
  const pageSize = { endpoint: 'search', entries: 20 };
  await store.write.commitPage(pageOf(id, lease, Date.now(), { pageSize, end: { state: 'capped' } }));
  expect(await post('plan', gap)).toMatchObject({ body: { result: { step: 'search', crawls: 1, min: 1 } } });
  const { body } = await post('create', { ...gap, step: 'search', expected: 1 });
  const [crawl] = store.read.crawls((body.result as { opened: number[] }).opened);
  expect(crawl).toMatchObject({ kind: 'search', target: 'from:star', state: 'queued' });
  const { from, to } = JSON.parse(crawl!.options) as { from: number; to: number };
  // Searches are of whole days; the timeline showed a part of the last one.
  expect([from, to]).toEqual([gap.from, Math.floor(gap.to / DAY) * DAY]);
});

test('nothing is left to do in a period that was searched', async () => {
  const { store, post, gap } = await openGap();
  const { id, lease } = await openLeased(store, gap.to + 20 * DAY, { kind: 'search', target: 'from:star' });
  const searchedWindow = { query: 'from:star', from: gap.from, to: gap.to };
  await store.write.commitPage(
    pageOf(id, lease, gap.to + 20 * DAY, { searchedWindow, end: { state: 'capped' }, progress: progressOf() }),
  );
  expect(await post('plan', gap)).toMatchObject({ body: { result: { step: null, crawls: 0 } } });
  expect(await post('create', { ...gap, step: null, expected: 0 })).toMatchObject({ status: 400 });
});

test('a wrong gap is refused: 400', async () => {
  const { post } = await openGap();
  for (const input of [
    { restId: '1' },
    { restId: '1', from: 2, to: 1 },
    { restId: '1', from: '0', to: 1 },
    { restId: 1, from: 0, to: 1 },
    { restId: '99', from: 0, to: 1 },
  ])
    expect(await post('plan', input), JSON.stringify(input)).toMatchObject({ status: 400 });
});
