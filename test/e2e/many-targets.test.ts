import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { BATCH_SIZE } from '#base/batches.ts';
import { systemClock } from '#base/clock.ts';
import { createProducer } from '#crawl/queue/producer.ts';
import { type CrawlQueues, openQueues } from '#crawl/queue/queues.ts';
import { openStore } from '#store/store.ts';
import { runCli, runProcess, spawnCli } from '../support/cli.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { tempFile } from '../support/temp.ts';
import { rowsOf, writeTargets } from './support.ts';

const MANY = 6000;

/** A file of targets; some of them are named twice, far apart. */
function targetsFile(count: number): string {
  const targets = Array.from({ length: count }, (_, n) => `id:${10 ** 12 + n * 7919}`);
  return writeTargets([...targets, ...targets.slice(0, 50)]);
}

/** The queue of a store on a Redis, and the size of the largest batch that it was given. */
function openQueue(db: string, url: string) {
  const store = openStore(db);
  const path = url.replace('unix://', '');
  const queues = openQueues({ redis: { connection: { path, maxRetriesPerRequest: null } }, storeId: store.id });
  onTestFinished(async () => {
    await queues[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });
  let [largest, read] = [0, 0];
  const note = (crawls: readonly unknown[]): void => void (largest = Math.max(largest, crawls.length));
  const noting: CrawlQueues = {
    ...queues,
    addJobs: (crawls, now) => (note(crawls), queues.addJobs(crawls, now)),
    findWithoutJob: (crawls) => (note(crawls), (read += crawls.length), queues.findWithoutJob(crawls)),
  };
  const producer = createProducer({ store, queues: noting, clock: systemClock });
  /** The number of crawls whose jobs were looked up since the last call. */
  const checked = (): number => {
    const count = read;
    read = 0;
    return count;
  };
  return { store, queues, producer, checked, largest: () => largest };
}

test('many targets are queued once each, even if enqueue is killed and Redis is emptied', async () => {
  const redis = await startRedisProcess();
  const db = tempFile('many.db');
  const env = { REDIS_URL: redis.url, TRAWL_DB: db };
  const words = ['enqueue', 'followers', '--from-file', targetsFile(MANY), '-q'];

  const killed = spawnCli(words, { env });
  await killed.waitForLine(/^crawl 1500: /);
  killed.kill('SIGKILL');
  await killed.exited;
  const stored = rowsOf<{ n: number }>(db, 'select count(*) as n from crawls')[0]!.n;
  expect(stored).toBeGreaterThanOrEqual(1500);
  const printed = killed.lines.map((line) => Number(/^crawl (\d+): /.exec(line)?.[1]));
  expect(Math.max(...printed.filter(Number.isInteger))).toBeLessThanOrEqual(stored);

  // What was stored and not queued before the kill, the workers queue.
  const queue = openQueue(db, redis.url);
  await queue.producer.reconcile();
  expect(await queue.queues.countJobs()).toMatchObject({ waiting: stored });

  const again = await runCli([...words, '--json'], { env });
  expect(again, again.stderr).toMatchObject({ code: 0, stderr: '' });
  const { crawls } = JSON.parse(again.stdout) as { crawls: { id: number; target: string; isJoined: boolean }[] };
  expect(crawls).toHaveLength(MANY);
  expect(crawls[0]).toEqual({ id: 1, kind: 'followers', target: 'id:1000000000000', isJoined: true });
  expect(crawls.filter(({ isJoined }) => isJoined)).toHaveLength(stored);
  expect(rowsOf(db, 'select count(*) as n, count(distinct target) as targets, max(id) as last from crawls')).toEqual([
    { n: MANY, targets: MANY, last: expect.any(Number) },
  ]);
  expect(await queue.queues.countJobs()).toMatchObject({ waiting: MANY, active: 0, delayed: 0 });
  expect(await queue.producer.reconcile()).toBe(0);

  const admin = new Redis({ path: redis.url.replace('unix://', '') });
  onTestFinished(() => admin.disconnect());
  await admin.flushall();
  expect(await queue.producer.reconcile()).toBe(MANY);
  expect(await queue.queues.countJobs()).toMatchObject({ waiting: MANY });
  expect(await queue.producer.reconcile()).toBe(0);
  expect(queue.largest()).toBeLessThanOrEqual(BATCH_SIZE);
});

test('a periodic check reads a part of many crawls, and all if jobs are missing', async () => {
  const redis = await startRedisProcess();
  const { store, queues, producer, checked } = openQueue(tempFile('many.db'), redis.url);
  const COUNT = 12_000;
  const specs = Array.from({ length: COUNT }, (_, n) => ({
    kind: 'profile',
    target: `id:${n}`,
    options: '{}',
    priority: 'backfill' as const,
  }));
  const opened = await producer.enqueue(specs);
  const check = async () => ({ queued: await producer.reconcile(undefined, 'part'), read: checked() });
  const checkAll = async () => [await check(), await check(), await check()];
  const nothing = [5000, 5000, 2000].map((read) => ({ queued: 0, read }));
  expect(await checkAll()).toEqual(nothing);

  // A job of a crawl that ended hides that another one is missing, until its part is read.
  const admin = new Redis({ path: redis.url.replace('unix://', '') });
  onTestFinished(() => admin.disconnect());
  const [ended, lost] = [opened[0]!.id, opened.at(-1)!.id];
  await store.write.cancelCrawls([ended], Date.now());
  const key = (await admin.keys(`*:crawl-${lost}`))[0]!;
  await admin.del(key);
  expect(await checkAll()).toEqual([
    { queued: 0, read: 5000 },
    { queued: 0, read: 5000 },
    { queued: 1, read: 1999 },
  ]);
  expect((await checkAll()).map(({ queued }) => queued)).toEqual([0, 0, 0]);

  await admin.flushall();
  expect(await check()).toEqual({ queued: COUNT - 1, read: COUNT - 1 });
  expect(await queues.countJobs()).toMatchObject({ waiting: COUNT - 1 });
});

test('an aborted signal ends a reconciliation before its next batch', async () => {
  const redis = await startRedisProcess();
  const { store, queues, producer } = openQueue(tempFile('stopped.db'), redis.url);
  const specs = Array.from({ length: 2 * BATCH_SIZE }, (_, n) => ({
    kind: 'profile',
    target: `id:${n}`,
    options: '{}',
    priority: 'backfill' as const,
  }));
  await store.write.openCrawls(specs, 1);
  expect(await producer.reconcile(AbortSignal.abort())).toBe(0);
  expect(await queues.countJobs()).toMatchObject({ waiting: 0 });
  expect(await producer.reconcile()).toBe(2 * BATCH_SIZE);
});

test('enqueue queues 30,000 targets in a heap that batches need', async () => {
  const redis = await startRedisProcess();
  // Any number of targets needs between 26 and 32 MB.
  const env = { REDIS_URL: redis.url, TRAWL_DB: tempFile('many.db'), NODE_OPTIONS: '--max-old-space-size=40' };
  const { code, stderr } = await runProcess(['enqueue', 'profile', '--from-file', targetsFile(30_000), '-q'], { env });
  expect(code, stderr).toBe(0);
});
