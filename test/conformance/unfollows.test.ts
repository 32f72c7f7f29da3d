import { expect, test } from 'vitest';
import { instructionOf } from './cursor-shapes.ts';
import { createLists } from './lists.ts';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

/** What the cursor of the first page becomes, and how a crawl shall end then. */
const CHANGES = [
  { value: 1_234_567, state: 'complete' },
  { value: 5.5, state: 'partial' },
  { value: { page: 5 }, state: 'partial' },
  { value: true, state: 'partial' },
  { value: [], state: 'partial' },
];

test.each(['followers', 'following'] as const)(
  'unreadable cursors after two full crawls of %s prove no unfollow',
  async (kind) => {
    const { owners, accounts } = createLists(CHANGES.length);
    const ids = idsOf(owners);
    let isChanged = false;
    const hook: Hook = (call, next) => {
      const { restId, cursor } = call.parameters;
      const change = CHANGES[ids.indexOf(String(restId))];
      const answer = next(cursor === '1234567' ? { restId, cursor: 'page-5' } : undefined);
      if (!isChanged || !change || call.endpoint !== kind || cursor !== undefined) return answer;
      instructionOf(kind, answer)['cursor'] = { value: change.value, cursorType: 'Bottom' };
      return answer;
    };
    const service = await serveData({ accounts }, { pageSize: 5, hook });
    const crawler = createCrawler(service);
    const targets = ids.map((id) => `id:${id}`);
    for (let run = 0; run < 2; run += 1) expect((await crawler.crawl(kind, ...targets)).code).toBe(0);

    isChanged = true;
    for (let run = 0; run < 2; run += 1) {
      const { code, summary } = await crawler.crawl(kind, ...targets);
      const states = ids.map((id) => summary['crawls'].find(({ targetRestId }: Json) => targetRestId === id)?.state);
      expect([code, ...states]).toEqual([3, ...CHANGES.map(({ state }) => state)]);
    }

    expect(crawler.rows('select * from v_follows where first_missed_at is not null or ended_at is not null')).toEqual(
      [],
    );
    expect(crawler.rows("select * from v_follow_changes where change = 'went'")).toEqual([]);
    const { findings } = JSON.parse((await crawler.trawl('doctor', '--json')).stdout);
    const problems = findings.filter(({ status }: Json) => status !== 'ok');
    expect(JSON.stringify(problems), 'doctor reports the cursor').toMatch(/cursor/i);
  },
);

test('an unfollow that happened is found by two complete lists', async () => {
  const others = people(15, 100, 'other');
  const anna = { id: '1', handle: 'anna', followers: idsOf(others) };
  const service = await serveData({ accounts: [anna, ...others] }, { pageSize: 5 });
  const crawler = createCrawler(service);
  const went = "select follower from v_follow_changes where change = 'went'";
  await crawler.crawl('followers', 'id:1');

  anna.followers = idsOf(others.slice(1));
  await crawler.crawl('followers', 'id:1');
  expect(crawler.rows(went)).toEqual([]);
  await crawler.crawl('followers', 'id:1');

  expect(crawler.rows(went)).toEqual([{ follower: 'other1' }]);
});

test('a list that is shorter than the count of the profile proves no unfollow', async () => {
  const others = people(60, 100, 'other');
  const anna = { id: '1', handle: 'anna', followers: idsOf(others), profile: { followers: 60 } };
  const service = await serveData({ accounts: [anna, ...others] }, { pageSize: 20 });
  const crawler = createCrawler(service);
  const first = await crawler.crawl('followers', 'anna');
  expect(first.summary['crawls']).toMatchObject([{ state: 'complete', items: 60 }]);

  anna.followers = idsOf(others.slice(0, 20));
  for (let run = 0; run < 2; run += 1) {
    const { code, summary } = await crawler.crawl('followers', 'anna');
    expect(code).toBe(0);
    expect(summary['crawls']).toMatchObject([{ state: 'capped', items: 20 }]);
  }

  expect(crawler.rows('select * from v_follows where first_missed_at is not null or ended_at is not null')).toEqual([]);
});
