import { expect, test, vi } from 'vitest';
import { instructionOf } from './cursor-shapes.ts';
import { type Hook, type Json, serveData, type Tweet } from './scripted-service.ts';
import { createCrawler } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Forms of times, newest first as user-tweets shows them, and the instants that they name. */
const TIMES = [
  ['2018-10-10T20:19:30.123Z', '2018-10-10T20:19:30.123Z'],
  ['Wed Oct 10 20:19:29 +0000 2018', '2018-10-10T20:19:29.000Z'],
  ['Wed Oct 10 22:19:28 +0200 2018', '2018-10-10T20:19:28.000Z'],
  ['2018-10-10T22:19:27+0200', '2018-10-10T20:19:27.000Z'],
  ['2018-10-10T22:19:26.500+02:00', '2018-10-10T20:19:26.500Z'],
  ['2018-10-10 20:19:25Z', '2018-10-10T20:19:25.000Z'],
  ['2018-10-10 20:19:24.007+00:00', '2018-10-10T20:19:24.007Z'],
  ['Wed, 10 Oct 2018 20:19:23 GMT', '2018-10-10T20:19:23.000Z'],
  ['Wed, 10 Oct 2018 15:49:22 -0430', '2018-10-10T20:19:22.000Z'],
  ['2018-10-10T20:19:21Z', '2018-10-10T20:19:21.000Z'],
] as const;

const UNREADABLE = ['yesterday', '10/10/2018', 'Wed Okt 10 20:19:24 +0000 2018', {}, ''];

/** Writes the times of an account's tweets in other forms: of the tweet on place n that of `forms[n]`. */
const spellTimes = (forms: readonly unknown[]): Hook => {
  return (call, next) => {
    const answer = next();
    if (call.endpoint !== 'user-tweets') return answer;
    for (const [n, entry] of instructionOf('user-tweets', answer)['entries'].entries()) {
      (entry as Json)['content'].tweet.created_at = forms[n];
    }
    return answer;
  };
};

const tweetsFor = (forms: readonly unknown[]): Tweet[] =>
  forms.map((_, n) => ({ id: String(100 + n), author: '1', text: `tweet ${n}`, at: Date.UTC(2018, 9, 10) - n * 1000 }));

const accounts = [{ id: '1', handle: 'anna' }];

test('times in ISO 8601 and RFC 2822, with any offset, are stored as UTC', async () => {
  const service = await serveData(
    { accounts, tweets: tweetsFor(TIMES) },
    { hook: spellTimes(TIMES.map(([form]) => form)) },
  );
  const crawler = createCrawler(service);

  const { code, summary } = await crawler.crawl('timeline', 'id:1');

  const stored = crawler.rows('select created_at from v_tweets order by rest_id').map((row) => row['created_at']);
  expect(TIMES.map(([form], n) => [form, stored[n]])).toEqual(TIMES);
  expect(summary['crawls']).toMatchObject([{ state: 'complete' }]);
  expect(code).toBe(0);
});

test('an unreadable time does not affect the text, and the summary of the crawl reports it', async () => {
  const service = await serveData({ accounts, tweets: tweetsFor(UNREADABLE) }, { hook: spellTimes(UNREADABLE) });
  const crawler = createCrawler(service);

  const { stdout, stderr } = await crawler.trawl('crawl', 'timeline', 'id:1');

  const rows = crawler.rows('select text, created_at from v_tweets order by rest_id');
  expect(rows).toEqual(UNREADABLE.map((_, n) => ({ text: `tweet ${n}`, created_at: null })));
  expect(stdout + stderr).toMatch(/created_at/);
});
