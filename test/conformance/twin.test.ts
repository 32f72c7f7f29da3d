import { expect, test, vi } from 'vitest';
import { tweetsOf } from './lists.ts';
import { serveData } from './scripted-service.ts';
import { createCrawler, people, serveTwin } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

test('the twin answers 404 for a tweet whose deletion the service confirmed', async () => {
  const tweets = tweetsOf('1', 12, 100);
  const service = await serveData({ accounts: [{ id: '1', handle: 'anna' }], tweets });
  const crawler = createCrawler(service);
  await crawler.crawl('timeline', 'id:1');
  service.data.tweets = tweets.filter(({ id }) => id !== '106');
  await crawler.crawl('timeline', 'id:1', '--full-refresh');

  const { request } = await serveTwin(crawler.file);

  expect(crawler.rows('select rest_id, state from v_deleted_tweets')).toEqual([{ rest_id: '106', state: 'deleted' }]);
  expect((await request('tweet-detail?restId=106')).status).toBe(404);
  expect((await request('tweet-detail?restId=107')).status).toBe(200);
  const timeline = await (await request('user-tweets?restId=1')).text();
  expect(timeline).toContain('moon number7');
  expect(timeline).not.toContain('moon number6');
});

test('the twin answers HEAD as GET, without a body', async () => {
  const crawler = createCrawler(await serveData({ accounts: [{ id: '1', handle: 'anna' }] }));
  await crawler.crawl('profile', 'anna');
  const { request } = await serveTwin(crawler.file);

  const get = await request('user-profile?screenName=anna');
  const head = await request('user-profile?screenName=anna', 'HEAD');

  expect([get.status, head.status, await head.text()]).toEqual([200, 200, '']);
  expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  expect((await request('user-profile?screenName=nobody', 'HEAD')).status).toBe(404);
});

test('within the validity period, the twin gives the same list of following and spends no quota on it', async () => {
  const accounts = [{ id: '1', handle: 'anna', following: ['2'] }, ...people(1, 2, 'other')];
  const crawler = createCrawler(await serveData({ accounts }));
  await crawler.crawl('following', 'anna');
  const { request } = await serveTwin(crawler.file, '--following-cache', '15m');
  const remaining = async (): Promise<number> => {
    const { data } = (await (await request('token-info')).json()) as { data: { remaining: number } };
    return data.remaining;
  };

  const first = await (await request('following?restId=1')).text();
  const before = await remaining();
  const second = await (await request('following?restId=1')).text();

  expect(second).toBe(first);
  expect(await remaining()).toBe(before);
  await request('followers?restId=1');
  expect(await remaining()).toBe(before - 1);
});
