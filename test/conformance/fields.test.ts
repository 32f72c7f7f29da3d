import { expect, test } from 'vitest';
import { instructionOf } from './cursor-shapes.ts';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

/** Fields of a user summary in an undocumented form, and the expected columns. */
const SUMMARIES: readonly { change: Json; stored: Json }[] = [
  { change: { followers_count: '12' }, stored: { followers_count: null } },
  { change: { followers_count: 1.5 }, stored: { followers_count: null } },
  { change: { followers_count: {} }, stored: { followers_count: null } },
  { change: { following_count: true }, stored: { following_count: null } },
  { change: { verified: 'blue' }, stored: { verified: null } },
  { change: { verified: 1 }, stored: {} },
  { change: { description: 5 }, stored: { description: null } },
  { change: { description: ['a'] }, stored: { description: null } },
  { change: { name: {} }, stored: { name: null } },
  { change: { profile_image_url: [] }, stored: { profile_image_url: null } },
  { change: { screen_name: false }, stored: {} },
  { change: { id: 1 }, stored: {} },
  { change: { id: {} }, stored: {} },
  { change: { id: undefined }, stored: {} },
  { change: { rest_id: undefined }, stored: {} },
  { change: { rest_id: null }, stored: {} },
  { change: { followers_count: null, verified: null, name: null }, stored: { followers_count: null, name: null } },
];

/** Changes the users on a page: the n-th one by the n-th change. */
const changeUsers =
  (kind: 'followers' | 'following', changes: () => readonly Json[]): Hook =>
  (call, next) => {
    const answer = next();
    if (call.endpoint !== kind) return answer;
    for (const [n, entry] of instructionOf(kind, answer)['entries'].entries())
      Object.assign(entry.content.user, changes()[n]);
    return answer;
  };

const GOOD = { followers_count: 0, following_count: 0, verified: 0 };

test.each(['followers', 'following'] as const)(
  'a mistyped minor field costs neither the user nor the edge: %s',
  async (kind) => {
    const others = people(SUMMARIES.length, 100, 'other');
    const anna = { id: '1', handle: 'anna', [kind]: idsOf(others) };
    const changes = SUMMARIES.map(({ change }) => change);
    const hook = changeUsers(kind, () => changes);
    const crawler = createCrawler(await serveData({ accounts: [anna, ...others] }, { hook }));

    const { code, summary } = await crawler.crawl(kind, 'id:1');

    expect(crawler.value('select count(*) from v_follows')).toBe(SUMMARIES.length);
    const users = crawler.rows("select * from v_users where rest_id <> '1' order by rest_id");
    const actual = SUMMARIES.map(({ change, stored }, n) => {
      const columns = Object.keys({ ...GOOD, ...stored }).filter((column) => !(column in change) || column in stored);
      return { change, ...Object.fromEntries(columns.map((column) => [column, users[n]?.[column]])) };
    });
    const expected = SUMMARIES.map(({ change, stored }) => {
      const kept = Object.entries(GOOD).filter(([column]) => !(column in change));
      return { change, ...Object.fromEntries(kept), ...stored };
    });
    expect(actual).toEqual(expected);
    expect(users.map((user) => user['rest_id'])).toEqual(idsOf(others));
    expect(summary['crawls']).toMatchObject([{ state: 'complete', items: SUMMARIES.length, rejectedItems: 0 }]);
    expect(code).toBe(0);
    expect(crawler.value("select count(*) from _drift where field like '%followers_count%'")).toBeGreaterThan(0);
  },
);

test('a safe integer is read as an id, and only an unreadable identity rejects the item', async () => {
  const others = people(4, 100, 'other');
  const identities = [
    { id: 100, rest_id: 100 },
    { id: 101, rest_id: undefined },
    { id: 1.5, rest_id: {} },
    { id: null, rest_id: '' },
  ];
  const hook = changeUsers('followers', () => identities);
  const anna = { id: '1', handle: 'anna', followers: idsOf(others) };
  const crawler = createCrawler(await serveData({ accounts: [anna, ...others] }, { hook }));

  const { code, summary } = await crawler.crawl('followers', 'id:1');

  const edges = crawler.rows('select follower_rest_id as id from v_follows order by 1');
  expect(edges).toEqual([{ id: '100' }, { id: '101' }]);
  expect(summary['crawls']).toMatchObject([{ state: 'partial', reason: 'rejected_items', rejectedItems: 2 }]);
  expect(code).toBe(3);
});

test('a mistyped field does not erase what is known', async () => {
  const other = { id: '100', handle: 'other', followers: ['1', '1', '1'] };
  let isMistyped = false;
  const hook = changeUsers('followers', () => (isMistyped ? [{ followers_count: '12', description: 5 }] : []));
  const crawler = createCrawler(
    await serveData({ accounts: [{ id: '1', handle: 'anna', followers: ['100'] }, other] }, { hook }),
  );
  const known = "select followers_count, description from v_users where rest_id = '100'";

  await crawler.crawl('followers', 'id:1');
  isMistyped = true;
  await crawler.crawl('followers', 'id:1');

  expect(crawler.rows(known)).toEqual([{ followers_count: 3, description: 'About other' }]);
});
