import { expect, test } from 'vitest';
import { createSeededRandom } from '../../src/seeded-random.ts';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

/** What became of a member, and the cause that a decision about its edge may have; the others follow on. */
const CAUSES = {
  gone: 'account gone',
  unfollowed: 'unfollowed',
  hidden: undefined,
  renamed: undefined,
  'with an incomplete list': undefined,
} as const;
const FATES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];
const DAY = 86_400_000;

test.each([1, 2, 3])('decisions about members agree with what became of them, seed %i', async (seed) => {
  const random = createSeededRandom(seed, 'follow decisions');
  const members = people(12, 100, 'member');
  const fates = members.map((_, n) => FATES[n] ?? random.pick(FATES));
  const fateOf = (id: unknown) => fates[idsOf(members).indexOf(String(id))];
  const anna = { id: '1', handle: 'anna', followers: ['99', ...idsOf(members)], profile: { followers: 13 } };
  const bystander = { id: '99', handle: 'bystander' };
  for (const member of members) Object.assign(member, { following: ['1', '99'], profile: { following: 2 } });
  const data = { accounts: [anna, bystander, ...members] };
  const hook: Hook = ({ endpoint, parameters }, next) => {
    const answer = next();
    if (endpoint !== 'following' || fateOf(parameters['restId']) !== 'with an incomplete list') return answer;
    const body = next({ ...parameters, restId: '98' }).body as Json;
    return { ...answer, body: { ...body, errors: [{ message: 'incomplete' }] } };
  };
  const incomplete = { id: '98', handle: 'incomplete', following: ['99'] };
  data.accounts.push(incomplete);
  const service = await serveData(data, { pageSize: 50, hook });
  const crawler = createCrawler(service);
  await crawler.crawl('followers', 'id:1');
  const db = openConnection(crawler.file);
  db.exec(`update follows set first_seen_at = first_seen_at - ${2 * DAY}, last_seen_at = last_seen_at - ${2 * DAY}`);
  db.close();

  anna.followers = ['99'];
  data.accounts = data.accounts.filter(({ id }) => fateOf(id) !== 'gone');
  for (const [n, member] of members.entries()) {
    if (fates[n] === 'renamed') member.handle = `renamed${n}`;
    if (fates[n] === 'unfollowed') Object.assign(member, { following: ['99'], profile: { following: 1 } });
  }
  await crawler.crawl('followers', 'id:1');
  expect(crawler.value('select count(*) from v_unfollow_candidates')).toBe(members.length);
  for (let run = 0; run < 2; run += 1) await crawler.trawl('recheck', 'follows', '--json', '--yes');

  const decided = crawler.rows(
    "select follower_rest_id as id, cause from v_follow_changes where change = 'went' order by follower_rest_id",
  );
  const expected = members.flatMap(({ id }, n) => {
    const cause = CAUSES[fates[n]!];
    return cause === undefined ? [] : [{ id, cause }];
  });
  expect(decided).toEqual(expected);
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
