import { expect, test } from 'vitest';
import { serveData } from './scripted-service.ts';
import { createCrawler, tweetsOf } from './support.ts';

/** The lines of a plan that show a window without a length: both bounds are the same text. */
const emptyWindows = (plan: string): string[] => plan.split('\n').filter((line) => /^ +(\S.*\S) to \1$/.test(line));

const createdAt = '2024-12-01T00:00:00.000Z';
const createService = () =>
  serveData({ accounts: [{ id: '1', handle: 'anna', profile: { createdAt } }], tweets: tweetsOf('1', 3, 100) });

test('a dry run right after a crawl of the timeline plans nothing for the time since', async () => {
  const service = await createService();
  const crawler = createCrawler(service);
  await crawler.crawl('profile', 'anna');
  await crawler.crawl('timeline', 'anna');
  const sent = service.metered();
  const { code, stdout, stderr } = await crawler.trawl(
    'backfill',
    'timeline',
    'anna',
    '--since',
    '2025-01-02',
    '--dry-run',
  );
  expect(code, stderr).toBe(0);
  expect(emptyWindows(stdout)).toEqual([]);
  expect(stdout).toMatch(/^nothing left to search$/m);
  expect(stdout).not.toContain('unknown:');
  const { stdout: json } = await crawler.trawl(
    'backfill',
    'timeline',
    'anna',
    '--since',
    '2025-01-02',
    '--dry-run',
    '--json',
  );
  expect(JSON.parse(json)).toMatchObject({
    gaps: [],
    timelineCrawl: null,
    search: { missing: [], requests: { max: 0 } },
  });
  const run = await crawler.trawl('backfill', 'timeline', 'anna', '--since', '2025-01-02');
  expect(run.stdout).toMatch(/^nothing left to do$/m);
  expect(service.metered()).toBe(sent);
});

test('a gap that is shorter than a minute is planned, and shown with its length', async () => {
  const service = await createService();
  const crawler = createCrawler(service);
  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
  const { stdout } = await crawler.trawl('backfill', 'search', 'moon', '--since', '5s', '--dry-run');
  expect(emptyWindows(stdout)).toEqual([]);
  expect(stdout).toContain(dayOf(Date.now()));
  await crawler.crawl('profile', 'anna');
  const timeline = await crawler.trawl('backfill', 'timeline', 'anna', '--since', '5s', '--dry-run');
  expect(emptyWindows(timeline.stdout)).toEqual([]);
  expect(timeline.stdout).toMatch(/^unknown:\n {2}\S.* to \S.*$/m);
});
