import { writeFileSync } from 'node:fs';
import { Queue } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, DAY, MINUTE, systemClock } from '#base/clock.ts';
import { createLog } from '#base/log.ts';
import { openScheduler } from '#composition.ts';
import { createScheduleEntry, type Job } from '#crawl/jobs/job.ts';
import { createProducer } from '#crawl/queue/producer.ts';
import { openQueues } from '#crawl/queue/queues.ts';
import type { QueueRedis } from '#crawl/queue/redis/start-redis.ts';
import { createScheduler } from '#crawl/queue/scheduler.ts';
import type { Store } from '#store/store.ts';
import { newStore, pageOf, progressOf, rows, tweet } from '../store/support.ts';
import { withRedis } from '../support/redis.ts';
import { tempFile } from '../support/temp.ts';

const log = createLog({ level: 'silent' });

const job = (more: Partial<Job> = {}): Job => ({
  name: 'job',
  schedule: { every: DAY },
  kind: 'profile',
  targets: { list: ['nasa', 'esa'] },
  priority: 'scheduled',
  options: {},
  ...more,
});

/** A clock that only the test moves. It starts with the real time, which Redis uses. */
function createManualClock(start = Date.now()): Clock & { at: number } {
  const clock = { at: start, now: () => clock.at, sleep: systemClock.sleep };
  return clock;
}

/** The scheduler of a process, on a store and a Redis. */
function processOn(store: Store, engine: QueueRedis, clock: Clock = systemClock) {
  const queues = openQueues({ redis: engine, storeId: store.id });
  const producer = createProducer({ store, queues, clock });
  const scheduler = createScheduler({
    store,
    queues,
    producer,
    clock,
    log,
    selectChecks: () => [],
    readTargets: (source) => {
      if ('list' in source) return source.list;
      throw new Error('there is no such file');
    },
  });
  const queue = new Queue('schedule', { connection: queues.connection, prefix: queues.prefix });
  onTestFinished(async () => {
    await queue.close();
    await scheduler[Symbol.asyncDispose]();
    await queues[Symbol.asyncDispose]();
  });
  return {
    scheduler,
    queues,
    producer,
    queue,
    async sync(...jobs: Job[]) {
      const changes = await store.write.setSchedule(jobs.map(createScheduleEntry), clock.now());
      await scheduler.restore();
      return Object.fromEntries(changes.map(({ name, change }) => [name, change]));
    },
  };
}

async function setUp(clock?: Clock) {
  const store = newStore();
  const engine = await withRedis();
  return { store, engine, ...processOn(store, engine, clock) };
}

const crawlsOf = (store: Store) =>
  store.read.unfinished().map(({ kind, target, priority: as }) => `${kind} ${target} ${as}`);

async function finishAll(store: Store): Promise<void> {
  for (const { id } of store.read.unfinished()) {
    const { leaseToken: lease } = (await store.write.takeLease(id, 1))!;
    await store.write.commitPage(pageOf(id, lease, 2, { end: { state: 'complete' } }));
  }
}

describe('the schedule', () => {
  it('is synced to the jobs, idempotently', async () => {
    const { sync, queue } = await setUp();
    const pattern = job({ name: 'b', schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' } });
    expect(await sync(job({ name: 'a' }), pattern)).toEqual({ a: 'added', b: 'added' });
    const before = await queue.getJobSchedulers();
    expect(before.map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
    expect(await sync(job({ name: 'a' }), pattern)).toEqual({ a: 'unchanged', b: 'unchanged' });
    expect(await queue.getJobSchedulers()).toEqual(before);

    const hourly = job({ name: 'a', schedule: { every: 60 * MINUTE } });
    expect(await sync(hourly, job({ name: 'c' }))).toEqual({ a: 'changed', b: 'removed', c: 'added' });
    const after = await queue.getJobSchedulers();
    expect(Object.fromEntries(after.map(({ key, every }) => [key, every]))).toEqual({ a: 60 * MINUTE, c: DAY });
    expect(await queue.getJobCounts('delayed', 'waiting', 'active')).toMatchObject({
      delayed: 2,
      waiting: 0,
      active: 0,
    });
    expect(await sync()).toEqual({ a: 'removed', c: 'removed' });
    expect(await queue.getJobCounts('delayed', 'waiting', 'active')).toMatchObject({ delayed: 0 });
  });

  it('of a disabled job starts when the job is enabled, without a run for the time before', async () => {
    const clock = createManualClock(Date.UTC(2025, 0, 31, 12));
    const { store, sync, queue } = await setUp(clock);
    const daily = job({ name: 'a', schedule: { cron: '0 3 * * *', timezone: 'UTC' } });
    await sync({ ...daily, enabled: false });
    clock.at += 2 * DAY;
    expect(await sync({ ...daily, enabled: false })).toEqual({ a: 'unchanged' });
    expect(await queue.getJobSchedulers()).toEqual([]);
    expect(await sync(daily)).toEqual({ a: 'changed' });
    expect((await queue.getJobSchedulers()).map(({ key }) => key)).toEqual(['a']);
    expect(crawlsOf(store)).toEqual([]);
    clock.at += DAY;
    await sync(daily);
    expect(crawlsOf(store)).toHaveLength(2);
  });

  it('is restored from the store if Redis lost it, with its times (invariant 2)', async () => {
    const { sync, scheduler, queue, engine } = await setUp();
    await sync(job({ name: 'a' }), job({ name: 'b', schedule: { cron: '*/5 * * * *', timezone: 'UTC' } }));
    const next = (await queue.getJobSchedulers()).map(({ key, next: at }) => [key, at]);
    await engine.connect().flushall();
    await scheduler.restore();
    expect((await queue.getJobSchedulers()).map(({ key, next: at }) => [key, at])).toEqual(next);
  });

  it('of two stores on one Redis are separate', async () => {
    const { sync, engine, queue } = await setUp();
    const other = processOn(newStore(), engine);
    await sync(job({ name: 'a' }));
    await other.sync(job({ name: 'b' }));
    expect((await queue.getJobSchedulers()).map(({ key }) => key)).toEqual(['a']);
    expect((await other.queue.getJobSchedulers()).map(({ key }) => key)).toEqual(['b']);
  });
});

describe('a run', () => {
  it('of an interval starts at once, once, and queues its crawls', async () => {
    const { sync, scheduler, store, queues } = await setUp();
    await sync(job());
    await scheduler.restore();
    expect(crawlsOf(store)).toEqual(['profile nasa scheduled', 'profile esa scheduled']);
    expect(await queues.countJobs()).toMatchObject({ waiting: 2 });
    expect(store.read.schedule()[0]?.lastRun).toMatchObject({ added: 2, joined: 0, problem: null });
  });

  it('of a pattern waits for its time', async () => {
    const clock = createManualClock(Date.UTC(2025, 0, 1, 12));
    const { sync, scheduler, store } = await setUp(clock);
    await sync(job({ schedule: { cron: '0 3 * * *', timezone: 'UTC' } }));
    expect(crawlsOf(store)).toEqual([]);
    clock.at = Date.UTC(2025, 0, 2, 3);
    await scheduler.restore();
    expect(crawlsOf(store)).toHaveLength(2);
  });

  it('joins unfinished crawls: nothing runs twice at the same time', async () => {
    const clock = createManualClock();
    const { sync, scheduler, store } = await setUp(clock);
    await sync(job());
    clock.at += DAY;
    await scheduler.restore();
    expect(crawlsOf(store)).toHaveLength(2);
    expect(store.read.schedule()[0]?.lastRun).toMatchObject({ added: 0, joined: 2 });
  });

  it('is caught up once for any number of missed runs, then continues on schedule', async () => {
    const clock = createManualClock();
    const { sync, scheduler, store } = await setUp(clock);
    await sync(job({ targets: { list: ['nasa'] } }));
    const { madeAt } = store.read.schedule()[0]!;
    await finishAll(store);
    clock.at += 10 * DAY + 5 * MINUTE;
    for (let i = 0; i < 3; i += 1) await scheduler.restore();
    expect(crawlsOf(store)).toHaveLength(1);
    await finishAll(store);
    clock.at = madeAt + 11 * DAY - 1;
    await scheduler.restore();
    expect(crawlsOf(store)).toHaveLength(0);
    clock.at += 1;
    await scheduler.restore();
    expect(crawlsOf(store)).toHaveLength(1);
  });

  it('starts once among all processes, even if Redis is lost in between', async () => {
    const clock = createManualClock();
    const { sync, scheduler, store, engine } = await setUp(clock);
    await sync(job());
    await finishAll(store);
    const others = [1, 2, 3].map(() => processOn(newStore(store.path), engine, clock).scheduler);
    await Promise.all(others.map((other) => other.restore()));
    await engine.connect().flushall();
    await Promise.all([scheduler, ...others].map((each) => each.restore()));
    expect(crawlsOf(store)).toEqual([]);
  });

  it('keeps its times after a change of targets, and starts anew after a change of times', async () => {
    const clock = createManualClock();
    const { sync, store } = await setUp(clock);
    await sync(job());
    await finishAll(store);
    clock.at += MINUTE;
    expect(await sync(job({ targets: { list: ['jaxa'] } }))).toEqual({ job: 'changed' });
    expect(crawlsOf(store)).toEqual([]);
    await sync(job({ targets: { list: ['jaxa'] }, schedule: { every: 60 * MINUTE } }));
    expect(crawlsOf(store)).toEqual(['profile jaxa scheduled']);
  });

  it('without targets is reported, and the next one starts', async () => {
    const clock = createManualClock();
    const { sync, scheduler, store } = await setUp(clock);
    await sync(job({ targets: { file: 'gone' } }));
    expect(store.read.schedule()[0]?.lastRun).toMatchObject({ added: 0, problem: 'there is no such file' });
    await store.write.setSchedule([createScheduleEntry(job({ targets: { list: ['na sa', 'nasa'] } }))], clock.now());
    clock.at += DAY;
    await scheduler.restore();
    expect(crawlsOf(store)).toEqual(['profile nasa scheduled']);
    expect(store.read.schedule()[0]?.lastRun).toMatchObject({ added: 1, problem: '"na sa" is not an account' });
  });

  it('crawls each target of an adaptive schedule at an interval of its own', async () => {
    const clock = createManualClock(Date.UTC(2025, 0, 31));
    const { sync, scheduler, store } = await setUp(clock);
    const schedule = { every: 60 * MINUTE, greatest: 8 * 60 * MINUTE };
    await sync(job({ kind: 'timeline', schedule }));
    const hours = new Map<string, number[]>([
      ['nasa', []],
      ['esa', []],
    ]);
    for (let hour = 0; hour < 48; hour++) {
      for (const { id, target } of store.read.unfinished()) {
        hours.get(target)!.push(hour);
        const { leaseToken: lease } = (await store.write.takeLease(id, clock.at + MINUTE))!;
        // All tweets of nasa's pages are new; esa writes nothing.
        const tweets = Array.from({ length: target === 'nasa' ? 20 : 0 }, (_, i) => tweet(`${100 * hour + i}`));
        const page = {
          rows: rows({ tweets }),
          progress: progressOf({ items: 20 }),
          end: { state: 'complete' },
        } as const;
        await store.write.commitPage(pageOf(id, lease, clock.at + MINUTE, page));
      }
      clock.at += 60 * MINUTE;
      await scheduler.restore();
    }
    expect(hours.get('nasa')).toEqual(Array.from({ length: 48 }, (_, hour) => hour));
    const esa = hours.get('esa')!;
    expect(esa.slice(0, 4)).toEqual([0, 1, 3, 7]);
    for (const [i, hour] of esa.slice(4).entries()) expect([7, 8]).toContain(hour - esa[i + 3]!);
    expect(esa.at(-1)).toBeGreaterThan(39);
  });

  it('reads its targets from a file and the store when it starts', async () => {
    const { store, engine } = await setUp();
    const queues = openQueues({ redis: engine, storeId: store.id });
    const producer = createProducer({ store, queues, clock: systemClock });
    await using scheduler = openScheduler({ store, queues, producer, log });
    const file = tempFile('targets.txt');
    writeFileSync(file, 'nasa\n\nesa\n');
    const sql = "select '42' as rest_id union all select 'x' where 0";
    const jobs = [job({ name: 'file', targets: { file } }), job({ name: 'sql', targets: { sql } })];
    await store.write.setSchedule(jobs.map(createScheduleEntry), systemClock.now());
    await scheduler.restore();
    expect(crawlsOf(store)).toEqual(['profile nasa scheduled', 'profile esa scheduled', 'profile id:42 scheduled']);
    await queues[Symbol.asyncDispose]();
  });

  it('is triggered by Redis at the time of the schedule', async () => {
    const { sync, scheduler, store } = await setUp();
    await sync(
      job({ name: 'a', schedule: { every: 1000 }, targets: { list: ['nasa'] } }),
      job({ name: 'b', schedule: { cron: '* * * * * *', timezone: 'Asia/Kathmandu' }, targets: { list: ['esa'] } }),
    );
    await finishAll(store);
    const slots = () => store.read.schedule().map(({ slot, madeAt }) => (slot ?? madeAt) - madeAt);
    await using _running = scheduler.start();
    await vi.waitUntil(() => slots().every((past) => past > 2000), { timeout: 10_000 });
    expect(crawlsOf(store).toSorted()).toEqual(['profile esa scheduled', 'profile nasa scheduled']);
    expect(slots()[0]! % 1000).toBe(0);
  });
});
