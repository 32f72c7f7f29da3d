import { describe, expect, it, vi } from 'vitest';
import { UsageError } from '#base/errors.ts';
import { isResumedWithTree, decideResume } from '#crawl/slice/resume.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Store } from '#store/store.ts';
import { readerOf } from '../store/support.ts';
import { type Answer, crawlAgainst, reference, timeline } from './support.ts';

const nasa = reference('1', 'nasa');
/** Five pages of a tweet each: `0`, `A` … `D`, newest first. */
const CURSORS = ['0', 'A', 'B', 'C', 'D'];
const fivePages = ({ cursor = '0' }: Record<string, string>): Answer => {
  const page = CURSORS.indexOf(cursor);
  return timeline(nasa, [`${50 - page}@${20 - page}`], CURSORS[page + 1] ?? null);
};
const sent = (cursors: readonly string[]) =>
  cursors.map((cursor) => (cursor === '0' ? 'user-tweets 1' : `user-tweets 1 ${cursor}`));

async function resume(store: Store, crawl: CrawlRow, more?: number) {
  const found = decideResume(crawl, more);
  if ('refused' in found) throw new Error(found.refused);
  expect(await store.write.resumeCrawls([found], 1)).toEqual([{ id: crawl.id, isJoined: false }]);
}

describe('a resumed crawl', () => {
  it('that stopped at --max-pages continues to the end, fetches no page twice and covers the whole list', async () => {
    const { run, asked, store } = await crawlAgainst({ 'user-tweets': fivePages });
    const { crawl } = await run('timeline', 'id:1', { maxPages: 2 });
    expect(crawl).toMatchObject({ state: 'partial', reason: 'max_pages', pages: 2 });
    await resume(store, crawl);
    const whole = { id: crawl.id, state: 'complete', pages: 5, items: 5, requests: 5 };
    expect((await run('timeline', 'id:1')).crawl).toMatchObject(whole);
    expect(asked).toEqual(sent(CURSORS));
    expect(
      readerOf(store).prepare('select newest_rest_id, oldest_rest_id, pages, list_end from coverage').all(),
    ).toEqual([{ newest_rest_id: '50', oldest_rest_id: '46', pages: 5, list_end: 'served' }]);
  });

  it('continues for as many more pages as it is given, repeatedly', async () => {
    const { run, asked, store } = await crawlAgainst({ 'user-tweets': fivePages });
    let { crawl } = await run('timeline', 'id:1', { maxPages: 1 });
    await resume(store, crawl, 2);
    ({ crawl } = await run('timeline', 'id:1', { maxPages: 3 }));
    expect(crawl).toMatchObject({ state: 'partial', reason: 'max_pages', pages: 3 });
    await resume(store, crawl, 1);
    expect((await run('timeline', 'id:1', { maxPages: 4 })).crawl).toMatchObject({ id: crawl.id, pages: 4 });
    expect(asked).toEqual(sent(CURSORS.slice(0, 4)));
  });

  it('that was cancelled in the middle of a page fetches only that page and the prefetched one again', async () => {
    let store: Store | undefined;
    const { run, asked, ...rest } = await crawlAgainst({
      'user-tweets': async (parameters, nth) => {
        if (nth === 3) {
          await vi.waitUntil(() => store!.read.crawl(1)!.pages === 2);
          await store!.write.cancelCrawls([1], 5);
        }
        return fivePages(parameters);
      },
    });
    ({ store } = rest);
    const { crawl, slice } = await run('timeline', 'id:1');
    expect(slice).toEqual({ next: 'done' });
    expect(crawl).toMatchObject({ state: 'cancelled', pages: 2, items: 2, cursor: 'B' });
    expect(readerOf(store).prepare('select count(*) from tweets').pluck().get()).toBe(2);
    await resume(store, crawl);
    const whole = { id: crawl.id, state: 'complete', pages: 5, items: 5 };
    expect((await run('timeline', 'id:1')).crawl).toMatchObject(whole);
    expect(asked).toEqual(sent(['0', 'A', 'B', 'C', 'B', 'C', 'D']));
  });

  it('that failed continues at the failed page', async () => {
    let mended = false;
    const { run, asked, store } = await crawlAgainst({
      'user-tweets': (parameters) => (parameters['cursor'] === 'B' && !mended ? { data: {} } : fivePages(parameters)),
    });
    const { crawl } = await run('timeline', 'id:1');
    expect(crawl).toMatchObject({ state: 'failed', reason: 'contract_broken', pages: 2 });
    mended = true;
    await resume(store, crawl);
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', pages: 5, error: null });
    expect(asked).toEqual(sent(['0', 'A', 'B', 'B', 'C', 'D']));
  });
});

const ROW = { id: 7, kind: 'timeline', options: '{}', pages: 3, ending: null, reason: null, parentId: null };
const row = (more: Partial<CrawlRow>): CrawlRow => ({ ...ROW, ...more }) as CrawlRow;

describe('the effect of resuming', () => {
  it('keeps limits that were not reached', () => {
    const options = '{"maxPages":9,"since":1000}';
    expect(decideResume(row({ state: 'cancelled', options }))).toEqual({ id: 7, options });
    const limited = row({ state: 'partial', reason: 'max_pages', options });
    expect(decideResume(limited)).toEqual({ id: 7, options: '{"since":1000}' });
    const more = { id: 7, options: '{"maxPages":5,"since":1000}' };
    expect(decideResume(row({ state: 'cancelled', options }), 2)).toEqual(more);
  });

  it('a crawl that reached the end of its list cannot be resumed', () => {
    expect(decideResume(row({ state: 'complete', ending: 'served' }))).toEqual({ refused: 'it is complete' });
    expect(decideResume(row({ state: 'partial', reason: 'rejected_items', ending: 'inferred' }))).toEqual({
      refused: 'it came to the end of its list',
    });
  });

  it('a limit is refused for a kind without limits', () => {
    expect(() => decideResume(row({ kind: 'profile', state: 'failed' }), 2)).toThrow(UsageError);
  });

  it('resuming a tree continues crawls that were cancelled or could not reach the service', () => {
    const isResumed = (state: CrawlRow['state'], reason: string | null, parentId: number | null = 1) =>
      isResumedWithTree(row({ state, reason, parentId }));
    expect(isResumed('cancelled', null)).toBe(true);
    expect(isResumed('failed', 'unreachable')).toBe(true);
    expect(isResumed('failed', 'not_found')).toBe(false);
    expect(isResumed('partial', 'max_pages')).toBe(false);
    expect(isResumed('cancelled', null, null)).toBe(false);
  });
});
