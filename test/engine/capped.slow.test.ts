import { describe, expect, it } from 'vitest';
import { answerCrawl } from '#analysis/crawls/describe-crawl.ts';
import { decideExitCode } from '#cli/targets/crawl-summary.ts';
import { decideResume } from '#crawl/slice/resume.ts';
import { readerOf } from '../store/support.ts';
import { type Answer, bottom, crawlAgainst, followers, listOf, reference, type Script, tweetEntry } from './support.ts';

const CAPPED = { state: 'capped', reason: null };
const ONE_PAGE = { ...CAPPED, ending: 'one_page' };
const INFERRED = { ...CAPPED, ending: 'inferred' };
const SERVED = { state: 'complete', reason: null, ending: 'served' };

const ada = reference('1', 'ada');
const stamp = (id: number): string => new Date(Date.UTC(2025, 0, 1) + id * 60_000).toISOString();
const tweets = (from: number, n: number): unknown[] =>
  Array.from({ length: n }, (_, i) => tweetEntry(String(from - i), stamp(from - i)));
const page = (entries: readonly unknown[], more: object): Answer => ({ data: { ...more, timeline: listOf(entries) } });
const own = (entries: readonly unknown[]): Answer => page(entries, { user: ada });
const original = (entries: readonly unknown[]): Answer => page(entries, { user: { result: ada } });
const search = (entries: readonly unknown[]): Answer => page(entries, { search_metadata: { query: 'q' } });
const people = (n: number) => Array.from({ length: n }, (_, i) => reference(String(100 + i), `p${i}`));
const detail = (replyCount: number | undefined, shown: number): Answer => ({
  data: {
    tweet: {
      id: '9',
      text: 'a',
      created_at: stamp(9),
      author: ada,
      reply_count: replyCount,
      ...(shown > 0 ? { replies: { entries: tweets(50, shown) } } : {}),
    },
  },
});
const profile = (followersCount: number): Answer => ({ data: { id: '1', userName: 'ada', followers: followersCount } });

describe('over HTTP, a crawl covers no more than its endpoint shows (invariant 5)', () => {
  const cases: readonly [string, kind: string, target: string, Script, object][] = [
    ['a search that shows 20 of 30 hits', 'search', 'q', { search: () => search(tweets(50, 20)) }, ONE_PAGE],
    ['a search that shows nothing', 'search', 'q', { search: () => search([]) }, ONE_PAGE],
    [
      'replies that show 231 of 381',
      'replies',
      'id:1',
      { 'user-tweets-replies': () => own(tweets(500, 231)) },
      ONE_PAGE,
    ],
    [
      'replies that the service pages to an end',
      'replies',
      'id:1',
      {
        'user-tweets-replies': ({ cursor }) => own(cursor ? tweets(20, 3) : [...tweets(50, 3), bottom('two')]),
      },
      { ...CAPPED, ending: 'served' },
    ],
    [
      'a community that shows 100',
      'community',
      '7',
      {
        'community-tweets': () => ({ data: { community: { id: '7' }, tweets: listOf(tweets(500, 100)) } }),
      },
      ONE_PAGE,
    ],
    [
      'the latest tweets of a list',
      'list',
      '7',
      { 'list-latest-tweets': () => ({ data: { list: { id: '7' }, tweets: { entries: tweets(50, 2) } } }) },
      ONE_PAGE,
    ],
    ['a tweet with replies', 'tweet', '9', { 'tweet-detail': () => detail(2, 2) }, ONE_PAGE],
    ['a tweet whose replies are not shown', 'tweet', '9', { 'tweet-detail': () => detail(3, 0) }, ONE_PAGE],
    ['a tweet that does not count its replies', 'tweet', '9', { 'tweet-detail': () => detail(undefined, 0) }, ONE_PAGE],
    ['a tweet without replies', 'tweet', '9', { 'tweet-detail': () => detail(0, 0) }, SERVED],
    ['a profile', 'profile', 'ada', { 'user-profile': () => profile(3) }, SERVED],
    ['a timeline that the service ends', 'timeline', 'id:1', { 'user-tweets': () => original(tweets(50, 3)) }, SERVED],
    ['an empty timeline', 'timeline', 'id:1', { 'user-tweets': () => original([]) }, SERVED],
  ];
  it.each(cases)('%s', async (_, kind, target, script, end) => {
    const { run } = await crawlAgainst(script);
    const { crawl } = await run(kind, target);
    expect(crawl).toMatchObject(end);
    expect(decideExitCode([crawl])).toBe(0);
    expect(answerCrawl(crawl).isComplete).toBe(crawl.state === 'complete');
    expect(decideResume(crawl)).toHaveProperty('refused');
  });

  it.each([
    ['5 of 40 followers', 40, 5, { state: 'capped', reason: 'list_cut_short', ending: 'served' }],
    // Counts contain accounts that lists hide.
    ['22 of 43 followers', 43, 22, { state: 'complete', reason: null, ending: 'served' }],
    ['none of 12 followers', 12, 0, { state: 'capped', reason: 'list_closed', ending: 'served' }],
    ['38 of 40 followers', 40, 38, { state: 'complete', reason: null, ending: 'served' }],
    ['none of no followers', 0, 0, { state: 'complete', reason: null, ending: 'served' }],
  ])('%s', async (_, counted, shown, end) => {
    const { run, store } = await crawlAgainst({
      'user-profile': () => profile(counted),
      followers: () => followers(ada, people(shown), null),
    });
    await run('profile', 'ada');
    const { crawl } = await run('followers', 'id:1');
    expect(crawl).toMatchObject(end);
    expect(decideExitCode([crawl])).toBe(0);
    // What is capped is no evidence of unfollows.
    const lists = readerOf(store).prepare('select count(*) from _list_snapshots').pluck().get();
    expect(lists).toBe(crawl.state === 'complete' ? 1 : 0);
  });

  it('a list that was restarted counts each item once', async () => {
    const all = people(24);
    let refused = 0;
    const { run } = await crawlAgainst({
      'user-profile': () => profile(50),
      followers({ cursor }) {
        if (cursor === undefined) return followers(ada, all.slice(0, 12), 'two');
        if (refused++ === 0) return { status: 400 };
        return followers(ada, all.slice(12), null);
      },
    });
    await run('profile', 'ada');
    expect((await run('followers', 'id:1')).crawl).toMatchObject({
      state: 'capped',
      reason: 'list_cut_short',
      ending: 'served',
      items: 36,
    });
  });

  it('a timeline that reaches an inferred end is capped, too, with one request', async () => {
    const { run } = await crawlAgainst({
      'user-tweets': ({ cursor }) => original(cursor ? [bottom(cursor)] : [...tweets(50, 5), bottom('two')]),
    });
    expect((await run('timeline', 'id:1')).crawl).toMatchObject(INFERRED);
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ ...CAPPED, ending: 'joined_inferred', requests: 1 });
  });
});
