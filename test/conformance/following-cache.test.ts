import { expect, test } from 'vitest';
import { type Answer, type Hook, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

const others = people(12, 100, 'other');
const WENT = "select followee from v_follow_changes where change = 'went'";

/** A service with a validity period on following: answers are kept until the test forgets them. */
async function serveCached() {
  const anna = { id: '1', handle: 'anna', following: idsOf(others) };
  const cache = new Map<string, Answer>();
  const hook: Hook = (call, next) => {
    if (call.endpoint !== 'following') return next();
    const key = JSON.stringify(call.parameters);
    const answer = cache.get(key) ?? next();
    cache.set(key, answer);
    return answer;
  };
  const service = await serveData({ accounts: [anna, ...others] }, { pageSize: 5, hook });
  return { anna, cache, service, crawler: createCrawler(service) };
}

test('an edge last seen in a list of followers is not ended by older cached responses', async () => {
  const { anna, cache, crawler, service } = await serveCached();
  anna.following = idsOf(others.slice(1));
  await crawler.crawl('following', 'id:1');

  // Anna follows somebody, whose list of followers shows it; the list of those she follows is still the old one.
  service.data.accounts!.find(({ id }) => id === '100')!.followers = ['1'];
  anna.following = idsOf(others);
  await crawler.crawl('followers', 'id:100');
  for (let run = 0; run < 2; run += 1) await crawler.crawl('following', 'id:1');
  expect(crawler.rows(WENT)).toEqual([]);

  cache.clear();
  await crawler.crawl('following', 'id:1');

  expect(crawler.rows(WENT)).toEqual([]);
  expect(crawler.value('select count(*) from v_follows where ended_at is null and first_missed_at is null')).toBe(12);
});
