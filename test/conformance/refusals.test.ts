import { expect, test } from 'vitest';
import { type Hook, refuse, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const fans = people(3, 1000, 'fan');
const owners = people(10, 1, 'owner').map((owner) => ({ ...owner, followers: idsOf(fans) }));
const DATA = { accounts: [...owners, ...fans] };
const targets = owners.map(({ id }) => `id:${id}`);

test('400 is no outage: crawls fail with one request each', async () => {
  const hook: Hook = (call, next) => (call.endpoint === 'followers' ? refuse(400) : next());
  const service = await serveData(DATA, { hook });
  const crawler = createCrawler(service);

  const { code, stderr } = await crawler.crawl('followers', ...targets);

  expect(code).toBe(1);
  expect(crawler.rows('select distinct state from v_crawls')).toEqual([{ state: 'failed' }]);
  expect(service.metered()).toBe(10);
  expect(stderr).not.toMatch(/outage/i);
});

test('401 is no outage: the command ends at once and keeps its crawls', async () => {
  const hook: Hook = (_, next) => (service.metered() > 4 ? refuse(401) : next());
  const service = await serveData(DATA, { hook });
  const crawler = createCrawler(service);

  const { code, stdout, stderr } = await crawler.trawl('crawl', 'followers', ...targets, '--concurrency', '2', '--yes');

  expect(code).toBe(78);
  expect(stdout + stderr).toMatch(/key/);
  expect(stdout + stderr).not.toMatch(/outage/i);
  expect(crawler.value("select count(*) from v_crawls where state = 'failed'")).toBe(0);
  expect(crawler.value("select count(*) from v_crawls where state = 'paused'")).toBeGreaterThan(0);
  // Four were served. Each of the two crawls in flight may send one more before it learns of the other's refusal.
  expect(service.metered()).toBeLessThanOrEqual(8);
});
