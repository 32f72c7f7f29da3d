import { spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { expect, test, vi } from 'vitest';
import { resolveRuntimeFiles } from '../../src/queue/redis/runtime-dir.ts';
import { runCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { tempFile } from '../support/temp.ts';
import { askedTwice, followedBy, peopleOf, rowsOf, serve, withWorld } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

const hasServer = spawnSync('redis-server', ['--version']).status === 0;
const world = withWorld(120, 7);
const handles = (count: number): string[] => peopleOf(world, count).map(({ handle }) => handle);
const at = (engine: { connection: { path?: string } }): string => `unix://${engine.connection.path}`;
const states = (db: string): unknown[] => rowsOf(db, 'select state, count(*) as n from crawls group by state');

test('crawls queued in a lost Redis run once each with another (invariant 2)', async () => {
  const service = await serve(world);
  const [gone, fresh] = [await withRedis(), await withRedis()];
  const db = tempFile('mine.db');
  const env = { ...service.env, TRAWL_DB: db };
  const enqueue = await runCli(['enqueue', 'profile', ...handles(30)], { env: { ...env, REDIS_URL: at(gone) } });
  expect(enqueue).toMatchObject({ code: 0 });
  expect(await gone.connect().dbsize()).toBeGreaterThan(30);
  const work = await runCli(['work', '--exit-when-idle'], { env: { ...env, REDIS_URL: at(fresh) } });
  expect(work, work.stderr).toMatchObject({ code: 0 });
  expect(states(db)).toEqual([{ state: 'complete', n: 30 }]);
  expect(askedTwice(service)).toBe(0);
});

test('`trawl work` finds every crawl after the private Redis of `trawl enqueue` ended (invariant 2)', async () => {
  const service = await serve(world);
  const env = { ...service.env, TRAWL_DB: tempFile('mine.db') };
  expect(await runCli(['enqueue', 'profile', ...handles(10)], { env })).toMatchObject({ code: 0 });
  expect(await runCli(['work', '--exit-when-idle'], { env })).toMatchObject({ code: 0 });
  expect(states(env.TRAWL_DB)).toEqual([{ state: 'complete', n: 10 }]);
  expect(askedTwice(service)).toBe(0);
});

test('a Redis that is emptied while a worker runs loses no crawl (invariant 2)', async () => {
  const redis = await withRedis();
  const client = redis.connect();
  const { id } = followedBy(world, 30);
  const service = await serve(world, {
    pageSize: 2,
    async onAsked({ n }) {
      if (n === 12) await client.flushall();
    },
  });
  const env = { ...service.env, TRAWL_DB: tempFile('mine.db'), REDIS_URL: at(redis) };
  expect(await runCli(['enqueue', 'followers', `id:${id}`], { env })).toMatchObject({ code: 0 });
  expect(await runCli(['enqueue', 'profile', ...handles(30)], { env })).toMatchObject({ code: 0 });
  const work = await runCli(['work', '--exit-when-idle', '--concurrency', '2'], { env });
  expect(work, work.stderr).toMatchObject({ code: 0 });
  expect(states(env.TRAWL_DB)).toEqual([{ state: 'complete', n: 31 }]);
  expect(askedTwice(service), 'pages under way at that moment').toBeLessThanOrEqual(2);
});

test.runIf(hasServer)(
  'a private redis-server that is killed during a crawl is replaced, and the crawl completes (invariant 2)',
  async () => {
    const db = tempFile('mine.db');
    const { handle, followers } = followedBy(world, 30);
    const service = await serve(world, {
      pageSize: 2,
      async onAsked({ n }) {
        if (n === 7) process.kill(await pidOf(resolveRuntimeFiles(db).socket), 'SIGKILL');
      },
    });
    const env = { ...service.env, TRAWL_DB: db };
    expect(await runCli(['crawl', 'followers', handle], { env })).toMatchObject({ code: 0 });
    expect(rowsOf(db, 'select state, items from crawls')).toEqual([{ state: 'complete', items: followers }]);
    expect(askedTwice(service), 'the page under way at that moment').toBeLessThanOrEqual(1);
  },
);

async function pidOf(path: string): Promise<number> {
  const redis = new Redis({ path });
  const info = await redis.info('server');
  redis.disconnect();
  return Number(/process_id:(\d+)/.exec(info)![1]);
}
