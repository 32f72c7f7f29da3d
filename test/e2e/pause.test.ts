import { expect, test } from 'vitest';
import { endpointTable as endpoints } from '../../src/service/contract/endpoints.ts';
import { runCli, runSuccessfully, spawnCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { countStates, followedBy, newKey, peopleOf, rowsOf, serve, type Service, withWorld } from './support.ts';

const LIMIT = 50;
const WINDOW_MS = 2000;
const world = withWorld(400, 7);

const statusesOf = ({ asked }: Service, caller: string): number[] =>
  [...new Set(asked.filter((one) => one.caller === caller).map(({ status }) => status!))].toSorted((a, b) => a - b);

/** Another client of the same twin, with its own key. */
async function overspend({ url }: Service): Promise<void> {
  const key = newKey(world, { name: 'canary', limit: 5 });
  const path = `${endpoints['user-profile'].path}?screenName=${peopleOf(world, 1)[0]!.handle}`;
  for (let i = 0; i < 6; i += 1) await (await fetch(url + path, { headers: { 'X-API-Key': key } })).text();
}

test('a crawl of 120 requests with a key of 50 per 2 s is never refused and ends complete (invariant 8)', async () => {
  const { handle, followers } = followedBy(world, 119);
  const service = await serve(world, { limit: LIMIT, windowMs: WINDOW_MS, pageSize: 1 });
  const { db, env } = service;
  const { code, stderr } = await runCli(['crawl', 'followers', handle], { env });
  expect(statusesOf(service, 'test')).toEqual([200]);
  expect(service.asked.length, 'one per follower, and the profile').toBe(followers + 1);
  expect(code, stderr).toBe(0);
  expect(rowsOf(db, 'select state, ending, items, requests, consecutive_failures from crawls')).toEqual([
    { state: 'complete', ending: 'served', items: followers, requests: followers + 1, consecutive_failures: 0 },
  ]);
});

test('two workers that share a key of 50 per 2 s are never refused (invariant 8); a client that overspends its own key is', async () => {
  const service = await serve(world, { limit: LIMIT, windowMs: WINDOW_MS });
  const redis = await withRedis();
  const { db } = service;
  const env = { ...service.env, REDIS_URL: `unix://${redis.connection.path}` };
  const handles = peopleOf(world, 100).map(({ handle }) => handle);
  await runSuccessfully(['enqueue', 'profile', ...handles, '--yes'], { env });
  const workers = [1, 2].map(() => spawnCli(['work', '--exit-when-idle'], { env }));
  await overspend(service);
  expect(await Promise.all(workers.map(({ exited }) => exited))).toEqual([0, 0]);
  expect(statusesOf(service, 'test')).toEqual([200]);
  expect(service.asked.filter(({ caller }) => caller === 'test')).toHaveLength(handles.length);
  expect(countStates(db)).toEqual([{ state: 'complete', n: handles.length }]);
  expect(statusesOf(service, 'canary'), 'so a 429 would have been seen').toEqual([200, 429]);
});

test('two workers log a pause once, and trawl status shows its priority, reason and end', async () => {
  const service = await serve(world, { limit: 20, windowMs: 3_600_000, pageSize: 1 });
  const redis = await withRedis();
  const env = { ...service.env, REDIS_URL: `unix://${redis.connection.path}` };
  const ids = peopleOf(world, 8).map(({ id }) => `id:${id}`);
  await runSuccessfully(['enqueue', 'followers', ...ids], { env });
  const workers = [1, 2].map(() => spawnCli(['work', '--concurrency', '4'], { env }));
  const pauseEvent = /"event":"paused","priority":"interactive","reason":"low"/;
  await Promise.race(workers.map((worker) => worker.waitForLine(pauseEvent)));

  const { stdout } = await runCli(['status', '--json'], { env });
  const { quota, paused } = JSON.parse(stdout) as {
    quota: {
      priorities: Record<string, { reason: string; headroom: number; pausedUntil: string; pausedSince: string }>;
    };
    paused: { reason: string; crawls: number }[];
  };
  for (const [one, headroom] of Object.entries({ interactive: 2, scheduled: 3, backfill: 4 })) {
    expect(quota.priorities[one]).toMatchObject({ reason: 'low', headroom });
    const ms = Date.parse(quota.priorities[one]!.pausedUntil) - Date.parse(quota.priorities[one]!.pausedSince);
    expect(ms, 'until the first request leaves the window').toBeGreaterThan(3_500_000);
    expect(ms).toBeLessThanOrEqual(3_600_000);
  }
  expect(paused).toMatchObject([{ reason: 'quota' }]);
  expect((await runCli(['status'], { env })).stdout).toMatch(
    /interactive \(leaves 2\), scheduled \(leaves 3\), backfill \(leaves 4\) paused: low quota \(\d of 20 left\), resets in (59 min|1 h)/,
  );

  for (const { kill } of workers) kill('SIGTERM');
  await Promise.all(workers.map(({ exited }) => exited));
  expect(workers.flatMap(({ lines }) => lines.filter((line) => pauseEvent.test(line)))).toHaveLength(1);
  expect(service.asked.map(({ status }) => status)).toEqual(Array.from({ length: 18 }, () => 200));
});
