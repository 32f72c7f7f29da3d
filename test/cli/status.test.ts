import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { connectToExisting } from '#crawl/queue/redis/connect-existing.ts';
import { spec, progressOf } from '../store/support.ts';
import { runCli, startCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { crawled, storeWith } from './support.ts';

/** A store with a crawl that is paused for quota, one that is complete, and one that is queued. */
const createStore = (): Promise<string> =>
  storeWith(async (store) => {
    const now = Date.now();
    const request = { endpoint: 'followers', at: now - 10_000, status: 200, ms: 5, bytes: 4000 };
    const progress = progressOf({ cursor: 'A', targetRestId: '1', items: 7 });
    const paused = await crawled(store, {}, undefined, { progress, requests: [request] });
    const { leaseToken: lease } = (await store.write.takeLease(paused, now))!;
    const release = { crawlId: paused, lease, at: now, failures: 0, requests: [] };
    await store.write.releaseLease({ ...release, state: 'paused', reason: 'quota', resumeAt: now + 600_500 });
    await crawled(store, { kind: 'profile' }, { state: 'complete', ending: 'served' });
    await store.write.openCrawls([spec({ target: 'esa' })], now);
    const sample = { at: now - 5000, limit: 1000, remaining: 120, resetAt: now + 600_500, keyHash: 'key' };
    await store.write.addQuotaSample(sample);
  });

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const status = (db: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  runCli(['status', ...args], { env: { TRAWL_DB: db, ...env } });

test('trawl status reads the store only: it writes nothing and starts no queue', async () => {
  const db = await createStore();
  const before = digest(db);
  const { code, stdout, stderr } = await status(db);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const line of [
    /^store {3}.*mine\.db, \d+ kB, at /,
    /\nworkers no worker is running: 2 unfinished crawls wait; `trawl work` runs them\n/,
    /\nquota {3}120 of 1,000 requests left, 100 in reserve, resets in (10 min|9 min \d+ s), sampled \d+ s ago\n/,
    /\npaused {2}1 crawl: waiting for quota, resumes in (10 min|9 min \d+ s)\n/,
    /\ncrawls +queued +paused +complete\n[─ ]+\nfollowers +1 +1\nprofile +1\n/,
    /\n 1 +followers +nasa +paused +1 +7 .* waiting for quota, resumes in about /,
    /\nlast 1 min +1 +0 +7 +4\.0 kB\n/,
  ]) {
    expect(stdout).toMatch(line);
  }
  expect(digest(db)).toBe(before);
  expect(await connectToExisting({ storePath: db })).toBeUndefined();
});

test('trawl status shows a running queue without writing to it', async () => {
  const db = await createStore();
  const engine = await withRedis();
  const env = { REDIS_URL: `unix://${engine.connection.path}` };
  const redis = new Redis(engine.connection);
  onTestFinished(() => redis.disconnect());
  expect(JSON.parse((await status(db, ['--json'], env)).stdout)).toMatchObject({
    queue: { waiting: 0 },
    workers: { workers: 0 },
  });
  expect(await redis.keys('*')).toEqual([]);

  const enqueue = ['enqueue', 'followers', 'nasa', 'esa', 'jaxa'];
  expect(await runCli(enqueue, { env: { ...env, TRAWL_DB: db } })).toMatchObject({ code: 0 });
  const before = await redis.keys('*');
  const { stdout } = await status(db, [], env);
  // The one that waits for quota is delayed until then.
  expect(stdout).toMatch(/\nqueue {3}0 active, 3 waiting, 0 delayed; Redis at /);
  expect((await redis.keys('*')).toSorted()).toEqual(before.toSorted());
});

test('trawl status works without a Redis that does not answer, and says so', async () => {
  const db = await createStore();
  const { code, stdout } = await status(db, [], { REDIS_URL: 'redis://127.0.0.1:9' });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'workers unknown: cannot use Redis at 127.0.0.1:9 (REDIS_URL): connection refused. Start it or ',
  );
});

test('trawl status --watch prints until Ctrl-C and exits with 0', async () => {
  const watch = startCli('status --watch', { env: { TRAWL_DB: await createStore() } });
  await watch.waitForLine(/^last 1 h /);
  watch.kill('SIGINT');
  expect(await watch.exited).toBe(0);
});
