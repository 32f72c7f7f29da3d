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
