import { describe, expect, test } from 'vitest';
import { createLists, tweetsOf } from './lists.ts';
import { type Hook, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const others = people(15, 100, 'other');
const tweets = tweetsOf('1', 30, 1000);
const replies = others.slice(0, 9).map(({ id }, n) => {
  return { id: String(2000 + n), author: id, text: `reply ${n}`, at: Date.UTC(2025, 1, 1 + n), replyTo: '1029' };
});
const DATA = {
  accounts: [
    { id: '1', handle: 'anna', followers: idsOf(others), following: idsOf(others) },
    { id: '2', handle: 'silent' },
    ...others,
  ],
  tweets: [...tweets, ...replies],
  communities: [{ id: '7', name: 'Walkers', tweets: idsOf(tweets) }],
  lists: [{ id: '8', name: 'Readers', tweets: idsOf(tweets) }],
};
/** Endpoints without pagination show less than there is. */
const SHOWN = { pageSize: 10, mostShown: { search: 20, replies: 5, others: 25 } };

describe('a crawl of a list that its endpoint shows', () => {
  test.each([
    { kind: 'profile', target: 'anna', extent: 'in one answer', state: 'complete', isComplete: 1, items: 1 },
    { kind: 'timeline', target: 'id:1', extent: 'to its end', state: 'complete', isComplete: 1, items: 30 },
    { kind: 'followers', target: 'id:1', extent: 'to its end', state: 'complete', isComplete: 1, items: 15 },
    { kind: 'following', target: 'id:1', extent: 'to its end', state: 'complete', isComplete: 1, items: 15 },
    { kind: 'replies', target: 'id:1', extent: 'in part', state: 'capped', isComplete: 0, items: 25 },
    { kind: 'community', target: '7', extent: 'in part', state: 'capped', isComplete: 0, items: 25 },
    { kind: 'list', target: '8', extent: 'in part', state: 'capped', isComplete: 0, items: 25 },
    { kind: 'search', target: 'moon', extent: 'in part', state: 'capped', isComplete: 0, items: 20 },
    { kind: 'tweet', target: '1029', extent: 'with some of its replies', state: 'capped', isComplete: 0, items: 6 },
    { kind: 'tweet', target: '1000', extent: 'without replies', state: 'complete', isComplete: 1, items: 1 },
    { kind: 'search', target: 'nothing', extent: 'as empty', state: 'capped', isComplete: 0, items: 0 },
  ])('$extent ends $state: $kind', async ({ kind, target, state, isComplete, items }) => {
    const crawler = createCrawler(await serveData(DATA, SHOWN));

    const { code, summary } = await crawler.crawl(kind, target);

    expect(code).toBe(0);
    expect(summary['crawls']).toMatchObject([{ state, reason: null, isComplete: isComplete === 1 }]);
    expect(crawler.rows('select kind, state, is_complete from v_completeness')).toEqual([
      { kind, state, is_complete: isComplete },
    ]);
    const stored = kind === 'profile' ? 'v_users' : kind.startsWith('follow') ? 'v_follows' : 'v_tweets';
    expect(crawler.value(`select count(*) from ${stored}`)).toBe(items);
  });

  test('with exactly a full page ends capped: a search with 20 of 30 hits, and one with 7', async () => {
    const words = tweets.map((tweet, n) => ({ ...tweet, text: n < 7 ? 'moon rare' : 'moon' }));
    const crawler = createCrawler(await serveData({ ...DATA, tweets: words }));

    const { code, summary } = await crawler.crawl('search', 'moon', 'rare');

    expect(code).toBe(0);
    expect(summary['crawls']).toMatchObject([{ state: 'capped' }, { state: 'capped' }]);
    expect(crawler.value('select count(*) from v_completeness where is_complete')).toBe(0);
  });

  test("at a small part of the profile's count ends capped, although the service ended it", async () => {
    const profile = { followers: 12_000, following: 12_000 };
    const { accounts } = createLists(4);
    const shown = idsOf(accounts.slice(4));
    const anna = { id: '98', handle: 'anna', followers: shown, following: shown, profile };
    const closed = { id: '99', handle: 'closed', profile };
    const crawler = createCrawler(await serveData({ accounts: [anna, closed, ...accounts] }, { pageSize: 20 }));

    for (const kind of ['followers', 'following']) {
      const { code, summary } = await crawler.crawl(kind, 'anna', 'closed');
      expect(code).toBe(0);
      expect(summary['crawls']).toMatchObject([
        { kind, target: 'anna', state: 'capped', items: 60, isComplete: false },
        { kind, target: 'closed', state: 'capped', items: 0, isComplete: false },
      ]);
    }

    const claims = 'select kind, target, is_complete, stored, reported from v_completeness order by kind, target';
    const expected = ['followers', 'following'].flatMap((kind) => [
      { kind, target: 'anna', is_complete: 0, stored: 60, reported: 12_000 },
      { kind, target: 'closed', is_complete: 0, stored: 0, reported: 12_000 },
    ]);
    expect(crawler.rows(claims)).toEqual(expected);
  });
});

test('an account without tweets has a complete timeline, although the service answers 404', async () => {
  const crawler = createCrawler(await serveData(DATA));

  const { code, summary } = await crawler.crawl('timeline', 'silent');

  expect(code).toBe(0);
  expect(summary['crawls']).toMatchObject([{ state: 'complete', reason: 'no_tweets', isComplete: true }]);
});

test('a capped crawl has nothing to resume, and crawls list can filter for it', async () => {
  const crawler = createCrawler(await serveData(DATA, SHOWN));
  await crawler.crawl('search', 'moon');

  const listed = await crawler.trawl('crawls', 'list', '--state', 'capped', '--json');
  const resumed = await crawler.trawl('crawls', 'resume', '1');

  expect(JSON.parse(listed.stdout).crawls).toMatchObject([{ id: 1, kind: 'search', state: 'capped' }]);
  expect(resumed.code).toBe(1);
});

test.each(['timeline', 'followers'])(
  'a complete list of the kind %s stays complete after a crawl of one page',
  async (kind) => {
    const crawler = createCrawler(await serveData(DATA, SHOWN));
    const isComplete = 'select kind, is_complete from v_completeness';
    await crawler.crawl(kind, 'id:1');
    expect(crawler.rows(isComplete)).toEqual([{ kind, is_complete: 1 }]);

    const again = await crawler.crawl(
      kind,
      'id:1',
      ...(kind === 'timeline' ? ['--full-refresh'] : []),
      '--max-pages',
      '1',
    );

    expect(again.code).toBe(3);
    expect(again.summary['crawls']).toMatchObject([{ state: 'partial', reason: 'max_pages', isComplete: false }]);
    expect(crawler.rows(isComplete)).toEqual([{ kind, is_complete: 1 }]);
  },
);

test('a list of which only one page was crawled is not complete', async () => {
  const crawler = createCrawler(await serveData(DATA, SHOWN));

  for (const kind of ['timeline', 'followers']) {
    expect((await crawler.crawl(kind, 'id:1', '--max-pages', '1')).code).toBe(3);
  }

  expect(crawler.value('select sum(is_complete) from v_completeness')).toBe(0);
});

test('an invalid page adds no coverage', async () => {
  const hook: Hook = (call, next) =>
    call.endpoint === 'followers' ? { status: 200, body: { data: { user: {} } } } : next();
  const crawler = createCrawler(await serveData(DATA, { hook }));

  const { code } = await crawler.crawl('followers', 'id:1');

  expect(code).not.toBe(0);
  expect(crawler.value('select coalesce(sum(is_complete), 0) from v_completeness')).toBe(0);
});
