import { expect, test } from 'vitest';
import { serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people, tweetsOf } from './support.ts';

const others = people(15, 100, 'other');
const tweets = tweetsOf('1', 30, 1000);
const replies = others.slice(0, 9).map(({ id }, n) => {
  return { id: String(2000 + n), author: id, text: `reply ${n}`, at: Date.UTC(2025, 1, 1 + n), replyTo: '1029' };
});
const DATA = {
  accounts: [{ id: '1', handle: 'anna', followers: idsOf(others), following: idsOf(others) }, ...others],
  tweets: [...tweets, ...replies],
  communities: [{ id: '7', name: 'Walkers', tweets: idsOf(tweets) }],
  lists: [{ id: '8', name: 'Readers', tweets: idsOf(tweets) }],
};
/** Endpoints without pagination show less than there is. */
const SHOWN = { pageSize: 10, mostShown: { search: 20, replies: 5, others: 25 } };

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
])(
  'a crawl of a list that its endpoint shows $extent ends $state: $kind',
  async ({ kind, target, state, isComplete, items }) => {
    const crawler = createCrawler(await serveData(DATA, SHOWN));

    const { code, summary } = await crawler.crawl(kind, target);

    expect(code).toBe(0);
    expect(summary['crawls']).toMatchObject([{ state, reason: null, isComplete: isComplete === 1 }]);
    expect(crawler.rows('select kind, state, is_complete from v_completeness')).toEqual([
      { kind, state, is_complete: isComplete },
    ]);
    const stored = kind === 'profile' ? 'v_users' : kind.startsWith('follow') ? 'v_follows' : 'v_tweets';
    expect(crawler.value(`select count(*) from ${stored}`)).toBe(items);
  },
);
