import { expect, test } from 'vitest';
import { runCli, runSuccessfully, spawnCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { followedBy, peopleOf, rowsOf, serve, withWorld } from './support.ts';

const world = withWorld(400, 7);

test('a crawl of 120 requests with a key of 50 per 2 s is never refused and ends complete (invariant 8)', async () => {
  const { handle, followers } = followedBy(world, 119);
  const service = await serve(world, { limit: 50, windowMs: 2000, pageSize: 1 });
  const { db, env } = service;
  const { code, stderr } = await runCli(['crawl', 'followers', handle], { env });
  expect(new Set(service.asked.map(({ status }) => status))).toEqual(new Set([200]));
  expect(service.asked.length, 'one per follower, and the profile').toBe(followers + 1);
  expect(code, stderr).toBe(0);
  expect(rowsOf(db, 'select state, ending, items, requests, consecutive_failures from crawls')).toEqual([
    { state: 'complete', ending: 'served', items: followers, requests: followers + 1, consecutive_failures: 0 },
  ]);
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
    quota: { priorities: Record<string, { headroom: number; hold: { until: string; since: string } }> };
    paused: { reason: string; crawls: number }[];
  };
  for (const [one, headroom] of Object.entries({ interactive: 2, scheduled: 3, backfill: 4 })) {
    expect(quota.priorities[one]).toMatchObject({ headroom, hold: { state: 'low' } });
    const { since, until } = quota.priorities[one]!.hold;
    const ms = Date.parse(until) - Date.parse(since);
    expect(ms, 'until the first request leaves the window').toBeGreaterThan(3_500_000);
    expect(ms).toBeLessThanOrEqual(3_604_000);
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
