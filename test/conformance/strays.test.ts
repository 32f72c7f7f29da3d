import { expect, test, vi } from 'vitest';
import { instructionOf } from './cursor-shapes.ts';
import { tweetsOf } from './lists.ts';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

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
  expect(crawler.rows("select count from drift where endpoint = 'user-tweets'")).toEqual([{ count: 1 }]);
});
