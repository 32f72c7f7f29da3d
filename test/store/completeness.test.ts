import { describe, expect, it } from 'vitest';
import type { ItemPosition } from '#service/kinds/checkpoint.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { CoverageUpdate, PageCommit } from '#store/schema/commit-messages.ts';
import {
  INFERRED,
  MAX_PAGES,
  NO_TWEETS,
  ONE_PAGE,
  SERVED,
  storeOfAccount,
} from '../analysis/coverage/account-store.ts';
import { readerOf, rows, user } from './support.ts';

const iso = (at: number): string => new Date(at).toISOString();

/** A store with crawls of one page, one per second, which end as given. */
function storeOfCrawls() {
  const account = storeOfAccount();
  let at = 0;
  return {
    /** Returns when it began. */
    async crawl(kind: string, end: CrawlEnd, more: Partial<PageCommit> = {}, options: object = {}): Promise<number> {
      at += 1000;
      await account.crawl(at, kind, end, { ...more, options });
      return at;
    },
    completeness: (kind: string) =>
      readerOf(account.store)
        .prepare('select is_complete, complete_as_of from v_completeness where kind = ?')
        .get(kind),
  };
}

const mark = (at: number): ItemPosition => ({ id: String(at), at });
/** The coverage of a timeline by a page, from an item down to another. */
const span = (newest: number, oldest: number, bottom?: 'served' | 'inferred'): { coverage: CoverageUpdate } => ({
  coverage: { spans: [{ newest: mark(newest), oldest: mark(oldest), bottom, pages: 1, items: 3 }] },
});
const complete = (at: number) => ({ is_complete: 1, complete_as_of: iso(at) });
const UNPROVEN = { is_complete: 0, complete_as_of: null };

describe('v_completeness.is_complete is evidence of the list, not of its newest crawl (invariant 5)', () => {
  it('stays 1 when a crawl of one page follows a full timeline', async () => {
    const { crawl, completeness } = storeOfCrawls();
    const at = await crawl('timeline', SERVED, span(90, 10, 'served'));
    expect(completeness('timeline')).toEqual(complete(at));
    await crawl('timeline', MAX_PAGES, span(95, 80));
    expect(completeness('timeline')).toEqual(complete(at));
    await crawl('timeline', { state: 'failed', reason: 'unreachable' });
    expect(completeness('timeline')).toEqual(complete(at));
  });

  it('is 0 while a timeline has a gap, and 1 when crawls have closed it together', async () => {
    const { crawl, completeness } = storeOfCrawls();
    await crawl('timeline', SERVED, span(50, 10, 'served'));
    await crawl('timeline', MAX_PAGES, span(90, 80));
    expect(completeness('timeline')).toEqual(UNPROVEN);
    const at = await crawl('timeline', { state: 'complete', ending: 'joined' }, span(95, 40));
    expect(completeness('timeline')).toEqual(complete(at));
  });

  it('has the time of the crawl that proved it, not of one that stopped at --since', async () => {
    const { crawl, completeness } = storeOfCrawls();
    await crawl('timeline', { state: 'complete', ending: 'since' }, span(50, 30), { since: 35 });
    expect(completeness('timeline')).toEqual(UNPROVEN);
    const at = await crawl('timeline', SERVED, span(60, 10, 'served'));
    await crawl('timeline', { state: 'complete', ending: 'joined' }, span(61, 55), { since: 35 });
    expect(completeness('timeline')).toEqual(complete(at));
  });

  it('is 0 for a timeline with an inferred end', async () => {
    const { crawl, completeness } = storeOfCrawls();
    await crawl('timeline', INFERRED, span(90, 10, 'inferred'));
    expect(completeness('timeline')).toEqual(UNPROVEN);
  });

  it('is 1 for a timeline without tweets, until one is seen', async () => {
    const { crawl, completeness } = storeOfCrawls();
    const at = await crawl('timeline', NO_TWEETS);
    expect(completeness('timeline')).toEqual(complete(at));
    await crawl('timeline', MAX_PAGES, span(90, 80));
    expect(completeness('timeline')).toEqual(UNPROVEN);
  });

  it('is 1 for followers by the newest list that reached its end', async () => {
    const { crawl, completeness } = storeOfCrawls();
    const list = (others: string[]) => ({
      rows: rows({
        users: ['1', ...others].map((restId) => user(restId, { followersCount: others.length })),
        follows: [{ side: 'followers', owner: '1', members: others }],
      }),
    });
    await crawl('followers', MAX_PAGES, list(['2']));
    expect(completeness('followers')).toEqual(UNPROVEN);
    const at = await crawl('followers', SERVED, list(['2', '3']));
    expect(completeness('followers')).toEqual(complete(at));
    await crawl('followers', MAX_PAGES, list(['4']));
    expect(completeness('followers')).toEqual(complete(at));
    await crawl('followers', INFERRED, list(['4', '5']));
    expect(completeness('followers')).toEqual(UNPROVEN);
    const again = await crawl('followers', SERVED, list(['2', '3']));
    expect(completeness('followers')).toEqual(complete(again));
  });

  it.each(['search', 'community', 'list', 'replies'])('is never 1 for a %s that was shown', async (kind) => {
    const { crawl, completeness } = storeOfCrawls();
    await crawl(kind, ONE_PAGE);
    expect(completeness(kind)).toEqual(UNPROVEN);
    await crawl(kind, { state: 'capped', ending: 'served' }, kind === 'replies' ? span(90, 10, 'served') : {});
    expect(completeness(kind)).toEqual(UNPROVEN);
  });

  it('is 1 for an object by the newest response that showed it', async () => {
    const { crawl, completeness } = storeOfCrawls();
    const at = await crawl('tweet', SERVED);
    expect(completeness('tweet')).toEqual(complete(at));
    await crawl('tweet', { state: 'failed', reason: 'unreachable' });
    expect(completeness('tweet')).toEqual(complete(at));
    await crawl('tweet', ONE_PAGE);
    expect(completeness('tweet')).toEqual(UNPROVEN);
  });
});
