import { expect, test } from 'vitest';
import { type Hook, type Json, serveData } from './scripted-service.ts';
import { createCrawler } from './support.ts';

const accounts = [{ id: '1', handle: 'anna' }];

/** Changes what token-info says. */
const say = (change: Json): Hook => {
  return (call, next) => {
    const answer = next();
    if (call.endpoint === 'token-info' && answer.status === 200) Object.assign((answer.body as Json)['data'], change);
    return answer;
  };
};

const RESET = new Date(Math.floor(Date.now() / 1000) * 1000 + 600_000);

test.each([
  ['a timestamp', RESET.toISOString()],
  ['a number of seconds', RESET.getTime() / 1000],
  ['a number of milliseconds', RESET.getTime()],
])('reset_at as %s is read', async (_, reset_at) => {
  const crawler = createCrawler(await serveData({ accounts }, { hook: say({ reset_at }) }));

  const { code, stdout, stderr } = await crawler.trawl('quota', '--json');

  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ resetAt: RESET.toISOString() });
});

test.each([
  ['an object', {}],
  ['absent', undefined],
])('an unreadable reset_at counts as absent: %s', async (_, reset_at) => {
  const hook = say({ reset_at, app_limit: 1000, remaining: 900 });
  const crawler = createCrawler(await serveData({ accounts }, { hook }));

  const { code, summary, stderr } = await crawler.crawl('profile', 'anna');

  expect(code).toBe(0);
  expect(summary['crawls']).toMatchObject([{ state: 'complete' }]);
  expect(stderr).not.toMatch(/app_limit|remaining|token_type/);
});
