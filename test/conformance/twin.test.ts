import { expect, test, vi } from 'vitest';
import { serveData } from './scripted-service.ts';
import { createCrawler, serveTwin } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

test('the twin answers 404 for a tweet whose deletion the service confirmed', async () => {
  const tweet = (n: number) => ({ id: String(100 + n), author: '1', text: `tweet ${n}`, at: Date.UTC(2025, 0, 1 + n) });
  const tweets = Array.from({ length: 12 }, (_, n) => n);
  const service = await serveData({ accounts: [{ id: '1', handle: 'anna' }], tweets: tweets.map(tweet) });
  const crawler = createCrawler(service);
  await crawler.crawl('timeline', 'id:1');
  service.data.tweets = tweets.filter((n) => n !== 6).map(tweet);
  await crawler.crawl('timeline', 'id:1', '--full');

  const { request } = await serveTwin(crawler.file);

  expect(crawler.rows('select rest_id, state from v_absent_tweets')).toEqual([{ rest_id: '106', state: 'deleted' }]);
  expect((await request('tweet-detail?restId=106')).status).toBe(404);
  expect((await request('tweet-detail?restId=107')).status).toBe(200);
  const timeline = await (await request('user-tweets?restId=1')).text();
  expect(timeline).toContain('"tweet 7"');
  expect(timeline).not.toContain('"tweet 6"');
});
