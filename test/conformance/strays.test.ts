import { expect, test } from 'vitest';
import { instructionOf } from './cursor-shapes.ts';
import { tweetsOf } from './lists.ts';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const accounts = [{ id: '1', handle: 'anna' }];
const tweets = tweetsOf('1', 15, 1000);

/** Puts something into the first page of user-tweets. */
const change = (put: (data: Json) => void): Hook => {
  return (call, next) => {
    const answer = next();
    const { data } = answer.body as Json;
    if (call.endpoint === 'user-tweets' && call.parameters['cursor'] === undefined) put(data);
    return answer;
  };
};

const pin = (data: Json): void => {
  const oldest = { id: '1000', text: 'moon number0', created_at: '2025-01-01T00:00:00.000Z' };
  const entry = { entryId: 'tweet-1000', content: { tweet: oldest } };
  data['timeline'].instructions.push({ type: 'TimelinePinEntry', entry });
};

const addUnknownCursor = (data: Json): void => {
  const entries = instructionOf('user-tweets', { status: 200, body: { data } })['entries'];
  entries.unshift({
    entryId: 'cursor-showmorethreads-1',
    content: { value: 'elsewhere', cursorType: 'ShowMoreThreads' },
  });
};

test.each([
  ['a pinned tweet', pin],
  ['an unknown cursor entry', addUnknownCursor],
] as const)('%s does not stop a timeline, and is counted', async (_, put) => {
  const service = await serveData({ accounts, tweets }, { pageSize: 5, hook: change(put) });
  const crawler = createCrawler(service);

  const { code, summary } = await crawler.crawl('timeline', 'id:1');

  expect(crawler.value('select count(*) from v_tweets')).toBe(15);
  expect(summary['crawls']).toMatchObject([{ state: 'complete' }]);
  expect(code).toBe(0);
  // The key `type` of the instruction is drift, too.
  const counted = "select occurrences from _drift where endpoint = 'user-tweets' and field not like '%(unknown key)'";
  expect(crawler.rows(counted)).toEqual([{ occurrences: 1 }]);
});

test('an unreadable instruction does not affect the items of a valid one', async () => {
  const junk: readonly unknown[] = [
    null,
    5,
    'x',
    [],
    {},
    { entries: null },
    { entries: {} },
    { type: 'TimelineClearCache' },
  ];
  const fans = people(5, 5000, 'fan');
  const owners = people(junk.length, 1, 'owner').map((owner) => ({ ...owner, followers: idsOf(fans) }));
  const hook: Hook = (call, next) => {
    const answer = next();
    if (call.endpoint !== 'followers') return answer;
    const { followers } = (answer.body as Json)['data'];
    followers.timeline.instructions.unshift(junk[Number(call.parameters['restId']) - 1]);
    return answer;
  };
  const crawler = createCrawler(await serveData({ accounts: [...owners, ...fans] }, { hook }));

  await crawler.crawl('followers', ...owners.map(({ id }) => `id:${id}`));

  const stored = crawler.rows('select followee, count(*) as fans from v_follows group by followee order by followee');
  expect(stored).toEqual(owners.map(({ handle }) => ({ followee: handle, fans: 5 })));
});
