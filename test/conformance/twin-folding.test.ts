import { expect, test, vi } from 'vitest';
import { type Json, serveData } from './scripted-service.ts';
import { createCrawler, serveTwin } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

test('searches of the twin fold accents, case and width alike in words, hashtags and full-width text', async () => {
  const words = ['#fútbol', '#ＦＯＯ', 'Ｂａｒ', 'café', 'nothing'];
  const tweets = words.map((text, n) => ({ id: String(100 + n), author: '1', text, at: Date.UTC(2025, 0, 1 + n) }));
  const crawler = createCrawler(await serveData({ accounts: [{ id: '1', handle: 'anna' }], tweets }));
  await crawler.crawl('timeline', 'id:1');
  const { request } = await serveTwin(crawler.file);

  const found = await Promise.all(
    ['#futbol', '#FÚTBOL', '#foo', '#ｆｏｏ', 'bar', 'CAFE', 'ｃａｆｅ'].map(async (query) => {
      const answer = await (await request(`search?rawQuery=${encodeURIComponent(query)}`)).json();
      const { entries } = (answer as { data: Json }).data['timeline'].instructions[0];
      return [query, entries.map(({ content }: Json) => content.tweet.id).join()];
    }),
  );

  expect(found).toEqual([
    ['#futbol', '100'],
    ['#FÚTBOL', '100'],
    ['#foo', '101'],
    ['#ｆｏｏ', '101'],
    ['bar', '102'],
    ['CAFE', '103'],
    ['ｃａｆｅ', '103'],
  ]);
});
