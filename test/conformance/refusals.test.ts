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
