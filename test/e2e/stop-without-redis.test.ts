import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, runSuccessfully, spawnCli } from '../support/cli.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { askedTwice, countStates, followedBy, gate, peopleOf, rowsOf, serve, withWorld } from './support.ts';

const world = withWorld(120, 7);
const COUNT = 8;
const handles = (): string[] => peopleOf(world, COUNT).map(({ handle }) => handle);

describe('Redis is lost', () => {
  test('just before the end of `trawl work --exit-when-idle`: it ends with everything stored', async () => {
    const redis = await startRedisProcess();
    const service = await serve(world, {
      async onAsked({ n }) {
        if (n === COUNT) await redis.kill();
      },
    });
    const env = { ...service.env, REDIS_URL: redis.url };
    await runSuccessfully(['enqueue', 'profile', ...handles()], { env });
    await runSuccessfully(['work', '--exit-when-idle', '--concurrency', '1'], { env });
    expect(countStates(env.TRAWL_DB)).toEqual([{ state: 'complete', n: COUNT }]);
    expect(askedTwice(service)).toBe(0);
  });

  test('just before the end of `trawl crawl`: it ends with its summary', async () => {
    const redis = await startRedisProcess();
    const { handle } = followedBy(world, 30);
    const pages = 10;
    const service = await serve(world, {
      pageSize: 3,
      async onAsked({ n }) {
        if (n === pages) await redis.kill();
      },
    });
    const env = { ...service.env, REDIS_URL: redis.url };
    const crawl = await runCli(['crawl', 'followers', handle, '--max-pages', String(pages - 1)], { env });
    expect(crawl, crawl.stderr).toMatchObject({ code: 3, stdout: expect.stringContaining('page limit reached') });
  });

  test.each([
    ['work', ['work'], 'SIGTERM', 0],
    ['crawl', ['crawl', 'followers'], 'SIGINT', 130],
  ] as const)('and `trawl %s` is stopped: it ends with its exit code', async (name, command, signal, code) => {
    const redis = await startRedisProcess();
    const { handle } = followedBy(world, 30);
    const answered = gate();
    onTestFinished(answered.open);
    const service = await serve(world, {
      pageSize: 3,
      async onAsked({ n }) {
        if (n !== 4) return;
        await redis.kill();
        answered.open();
      },
    });
    const env = { ...service.env, REDIS_URL: redis.url };
    if (name === 'work') await runCli(['enqueue', 'followers', handle], { env });
    const child = spawnCli(name === 'work' ? command : [...command, handle], { env });
    await answered.opened;
    child.kill(signal);
    expect(await child.exited, child.lines.join('\n')).toBe(code);
    // A process that is ended by force leaves it `running`.
    expect(rowsOf(env.TRAWL_DB, 'select state, finished_at from crawls')).toEqual([
      { state: 'queued', finished_at: null },
    ]);
    expect(child.lines.join('\n')).toMatch(/1 crawl unfinished and kept/);
  });

  test('and `trawl work` is idle: it can be stopped', async () => {
    const redis = await startRedisProcess();
    const service = await serve(world);
    const env = { ...service.env, REDIS_URL: redis.url };
    const child = spawnCli(['work'], { env });
    await child.waitForLine(/"working"/);
    await redis.kill();
    await child.waitForLine(/cannot be reached/);
    child.kill('SIGTERM');
    expect(await child.exited, child.lines.join('\n')).toBe(0);
  });
});
