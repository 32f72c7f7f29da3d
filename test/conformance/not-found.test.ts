import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempFile } from '../support/temp.ts';
import { refuse, serveData } from './scripted-service.ts';
import { createCrawler, tweetsOf } from './support.ts';

/** A service with one account, which answers 404 for its replies. It refuses the first request of user-tweets if it fails. */
const createService = (fails: boolean) => {
  let isFirst = fails;
  return serveData(
    { accounts: [{ id: '1', handle: 'anna' }], tweets: tweetsOf('1', 3, 100) },
    {
      hook(call, next) {
        if (call.endpoint === 'user-tweets-replies') return refuse(404);
        if (call.endpoint !== 'user-tweets' || !isFirst) return next();
        isFirst = false;
        return refuse(400);
      },
    },
  );
};

test('a tweet that does not exist is no failed request', async () => {
  const crawler = createCrawler(await createService(false));
  await crawler.crawl('tweet', '100', '999', '998');
  const { stdout } = await crawler.trawl('quota', '--by', 'kind', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ total: { requests: 3, failed: 0, notFound: 2 } });
  const table = await crawler.trawl('quota', '--by', 'kind');
  expect(table.stdout).toMatch(/failed +not found +bytes/);
  expect(table.stdout).toMatch(/^tweet +3 +3 +100 % +0 +2 /m);
  const status = await crawler.trawl('status');
  expect(status.stdout).toMatch(/^rates +requests +failed +not found +items +bytes$/m);
  expect(status.stdout).toMatch(/^last 1 min +3 +0 +2 /m);
});

test('tables have no column of 404s without one', async () => {
  const crawler = createCrawler(await createService(false));
  await crawler.crawl('tweet', '100');
  expect((await crawler.trawl('quota', '--by', 'kind')).stdout).not.toContain('not found');
  expect((await crawler.trawl('status')).stdout).not.toContain('not found');
});

test('a report tells failed requests from those that were answered with 404', async () => {
  const crawler = createCrawler(await createService(true));
  await crawler.crawl('profile', 'anna');
  await crawler.crawl('timeline', 'id:1');
  await crawler.crawl('timeline', 'id:1');
  const report = async (): Promise<string> => {
    const file = tempFile('report.html');
    const { code, stderr } = await crawler.trawl('report', 'account', 'anna', '-o', file);
    expect(code, stderr).toBe(0);
    return readFileSync(file, 'utf8');
  };
  const before = await report();
  expect(before).toContain('1 request had no response or an error status.');
  expect(before).not.toContain('was 404');

  await crawler.crawl('replies', 'id:1');
  const after = await report();
  expect(after).toContain('1 request had no response or an error status.');
  expect(after).toContain('The answer to 1 request was 404');
});
