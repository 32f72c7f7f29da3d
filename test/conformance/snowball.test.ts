import { expect, test, vi } from 'vitest';
import { serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

test('--max-targets is the limit of the run for any number of named accounts', async () => {
  const fans = people(30, 100, 'fan');
  const owners = people(3, 1, 'owner').map((owner, n) => ({
    ...owner,
    followers: idsOf(fans.slice(10 * n, 10 * n + 10)),
  }));
  const service = await serveData({ accounts: [...owners, ...fans] });
  const crawler = createCrawler(service);

  const targets = owners.map(({ id }) => `id:${id}`);
  const { code } = await crawler.crawl('followers', ...targets, '--then', 'profile', '--max-targets', '5');

  const profiles = Number(crawler.value("select count(*) from v_crawls where kind = 'profile'"));
  expect(profiles).toBeLessThanOrEqual(5);
  expect(profiles).toBeGreaterThan(0);
  expect(service.calls.filter(({ endpoint }) => endpoint === 'user-profile')).toHaveLength(profiles);
  expect([0, 3]).toContain(code);
});
