import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { type Hook, type Json, refuse, serveData } from './scripted-service.ts';
import { createCrawler, people } from './support.ts';

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

test('a correct token-info is trusted after each refusal', async () => {
  const owners = people(40, 1, 'owner');
  /** Somebody else spends the key's quota at two moments; each time it lasts for a second. */
  const refusals: number[] = [];
  const isSpent = (at: number): boolean => refusals.some((from) => at >= from && at < from + 1000);
  const hook: Hook = async (call, next) => {
    if (call.endpoint === 'token-info') {
      const remaining = isSpent(call.at) ? 0 : 900;
      const reset_at = new Date(call.at + 1000).toISOString();
      // The answer tells of the moment at which it was asked for, and takes a while.
      await wait(200);
      return say({ app_limit: 1000, remaining, reset_at })(call, next);
    }
    if ((refusals.length === 0 && service.metered() > 8) || (refusals.length === 1 && service.metered() > 24)) {
      refusals.push(call.at);
    }
    return isSpent(Date.now()) ? refuse(429, { 'Retry-After': '1' }) : next();
  };
  const service = await serveData({ accounts: owners }, { hook });
  const crawler = createCrawler(service);
  await crawler.trawl('enqueue', 'profile', ...owners.map(({ handle }) => handle));

  const options = { env: { ...service.env, TRAWL_DB: crawler.file }, cwd: dirname(crawler.file) };
  const { code, stderr } = await runCli(['work', '--exit-when-idle', '--concurrency', '4'], options);

  expect(code, stderr).toBe(0);
  expect(refusals).toHaveLength(2);
  expect(stderr).toMatch(/"event":"paused"/);
  expect(stderr).not.toMatch(/"event":"distrusted"/);
  expect(crawler.rows('select state, count(*) as crawls from v_crawls group by state')).toEqual([
    { state: 'complete', crawls: 40 },
  ]);
});
