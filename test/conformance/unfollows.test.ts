import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/sqlite/driver.ts';
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

test('candidates of a list that was cut short are decided one by one', async () => {
  const others = people(6, 100, 'other');
  const anna = { id: '1', handle: 'anna', followers: idsOf(others), profile: { followers: 6 } };
  for (const other of others) Object.assign(other, { following: ['1', '99'], profile: { following: 2 } });
  const bystander = { id: '99', handle: 'bystander' };
  const data = { accounts: [anna, bystander, ...others] };
  const service = await serveData(data, { pageSize: 50 });
  const crawler = createCrawler(service);
  const went = "select follower, cause from v_follow_changes where change = 'went' order by 1";
  const recheck = async (): Promise<Json> =>
    JSON.parse((await crawler.trawl('recheck', 'follows', '--json', '--yes')).stdout).recheck;
  await crawler.crawl('followers', 'id:1');
  anna.followers = idsOf(others.slice(0, 1));
  const { stderr } = await crawler.trawl('crawl', 'followers', 'id:1');
  expect(stderr).toContain('recheck follows');
  expect(crawler.value('select count(*) from v_unfollow_candidates')).toBe(5);

  // The account of one is gone, another one unfollowed; all others are hidden from the list.
  data.accounts = data.accounts.filter(({ handle }) => handle !== 'other2');
  Object.assign(others[2]!, { following: ['99'], profile: { following: 1 } });
  // Within a day after the edge was seen, a list of followed accounts may be a cached copy of an earlier one.
  expect(await recheck()).toMatchObject({ checked: 5, accountsGone: 1, unfollowed: 0, undecided: 4, left: 4 });
  expect(service.calls.filter(({ endpoint }) => endpoint === 'following')).toEqual([]);
  const db = openConnection(crawler.file);
  db.exec(`update follows set first_seen_at = first_seen_at - 2 * 86400000, last_seen_at = last_seen_at - 2 * 86400000
    where follower_id <> (select id from users where screen_name = 'other1')`);
  db.close();
  expect(await recheck()).toMatchObject({ checked: 4, unfollowed: 1, stillFollowing: 3, left: 0 });
  expect(crawler.rows(went)).toEqual([
    { follower: 'other2', cause: 'account gone' },
    { follower: 'other3', cause: 'unfollowed' },
  ]);
  expect(crawler.value('select count(*) from follows where first_missed_at is not null and ended_at is null')).toBe(0);
});
