import { hostname } from 'node:os';
import { onTestFinished, describe, expect, it } from 'vitest';
import { systemClock } from '#base/clock.ts';
import { UnauthorizedError } from '#base/errors.ts';
import { createLog } from '#base/log.ts';
import { createProducer } from '#crawl/queue/producer.ts';
import { openQueues } from '#crawl/queue/queues.ts';
import { isSoftLocked } from '#crawl/queue/soft-locks.ts';
import { startWorkers } from '#crawl/queue/worker.ts';
import type { SliceResult } from '#crawl/slice/slice-result.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import { newStore, pageOf, spec } from '../store/support.ts';
import { withRedis } from '../support/redis.ts';

const log = createLog({ level: 'silent' });

/** A store, a Redis and queues; `work` starts workers with a given slice. */
async function setUp(options: { run?: string } = {}) {
  const store = newStore();
  const engine = await withRedis();
  const queues = openQueues({ redis: engine, storeId: store.id, run: options.run });
  onTestFinished(() => queues[Symbol.asyncDispose]());
  const producer = createProducer({ store, queues, clock: systemClock, run: options.run });
  const finish = async (crawlId: number): Promise<SliceResult> => {
    const { leaseToken: lease } = (await store.write.takeLease(crawlId, 1))!;
    await store.write.commitPage(pageOf(crawlId, lease, 2, { end: { state: 'complete' } }));
    return { next: 'done' };
  };
  return {
    store,
    engine,
    queues,
    producer,
    finish,
    work(runSlice: (crawlId: number) => Promise<SliceResult>, { concurrency = 1, clock = systemClock } = {}) {
      const workers = startWorkers({
        queues,
        producer,
        concurrency,
        log,
        clock,
        errorDelayMs: 20,
        runSlice: (id) => runSlice(id),
      });
      onTestFinished(() => workers[Symbol.asyncDispose]());
      return workers;
    },
  };
}

/** Records the calls of `take`; `all` resolves after `count` calls. */
function turns(count: number, act: (crawlId: number, nth: number) => Promise<SliceResult>) {
  const seen: number[] = [];
  let finished: () => void;
  const all = new Promise<void>((resolve) => (finished = resolve));
  return {
    seen,
    all,
    async take(crawlId: number): Promise<SliceResult> {
      seen.push(crawlId);
      const slice = await act(crawlId, seen.filter((id) => id === crawlId).length);
      if (seen.length >= count) finished();
      return slice;
    },
  };
}

describe('the queue', () => {
  it('is fair: a crawl with more pages goes behind the waiting ones', async () => {
    const { producer, work, finish } = await setUp();
    const opened = await producer.enqueue(['long', 'b', 'c'].map((target) => spec({ target })));
    const [long, b, c] = opened.map(({ id }) => id) as [number, number, number];
    const calls = turns(5, async (id, nth) => (id === long && nth < 3 ? { next: 'again' } : await finish(id)));
    work(calls.take);
    await calls.all;
    expect(calls.seen).toEqual([long, b, c, long, long]);
  });

  it('holds a crawl until its time by the clock of the store, which may be behind that of this host', async () => {
    const { producer, work, finish } = await setUp();
    const clock = { ...systemClock, now: () => Date.now() - 3_600_000 };
    await producer.enqueue([spec()]);
    let until = 0;
    const calls = turns(2, async (id, nth) =>
      nth === 1 ? { next: 'wait', until: (until = clock.now() + 300) } : await finish(id),
    );
    work(calls.take, { clock });
    await calls.all;
    expect(clock.now()).toBeGreaterThanOrEqual(until);
  });

  it('holds a crawl once, however often it is queued', async () => {
    const { producer, queues, store } = await setUp();
    await producer.enqueue([spec()]);
    await producer.enqueue([spec()]);
    expect(await producer.reconcile()).toBe(0);
    expect(await queues.countJobs()).toMatchObject({ waiting: 1, active: 0, delayed: 0 });
    expect(store.read.unfinished()).toHaveLength(1);
  });

  it('gets exactly the missing crawls (invariant 2)', async () => {
    const { producer, queues, engine, store } = await setUp();
    const many = Array.from({ length: 1200 }, (_, n) => spec({ target: `id:${n}` }));
    const opened = await producer.enqueue(many);
    expect(await queues.countJobs()).toMatchObject({ waiting: 1200 });
    expect(await queues.findWithoutJob(store.read.unfinished())).toEqual([]);
    await engine.connect().flushall();
    await store.write.cancelCrawls(
      opened.slice(0, 100).map(({ id }) => id),
      2,
    );
    await producer.dispatch([opened[700]!.id]);
    const pending = opened.slice(100).map(({ id }) => id);
    expect(await queues.findWithoutJob(store.read.unfinished())).toEqual(
      pending.filter((id) => id !== opened[700]!.id),
    );
    expect(await producer.reconcile()).toBe(1099);
    expect(await queues.countJobs()).toMatchObject({ waiting: 1100 });
    expect(await producer.reconcile()).toBe(0);
  });

  it('is reconciled by one caller at a time, and once more for callers that came meanwhile', async () => {
    const { producer, queues } = await setUp();
    let [now, most] = [0, 0];
    const reconciliations = turns(20, async () => ({ next: 'done' }));
    const workers = startWorkers({
      queues,
      log,
      concurrency: 1,
      clock: systemClock,
      reconcileMs: 1,
      runSlice: async () => ({ next: 'done' }),
      producer: {
        ...producer,
        async reconcile() {
          most = Math.max(most, (now += 1));
          const count = await producer.reconcile();
          now -= 1;
          await reconciliations.take(0);
          return count;
        },
      },
    });
    onTestFinished(() => workers[Symbol.asyncDispose]());
    await reconciliations.all;
    expect(most).toBe(1);
  });

  it('is restored from the database if Redis lost everything (invariant 2)', async () => {
    const { producer, work, finish, engine, store } = await setUp();
    await producer.enqueue([spec(), spec({ target: 'esa' })]);
    const redis = engine.connect();
    await redis.flushall();
    const calls = turns(2, (id) => finish(id));
    work(calls.take);
    await calls.all;
    expect(store.read.unfinished()).toEqual([]);
  });

  it('pauses for its priority without quota, without an attempt (invariant 8)', async () => {
    const { producer, work, finish } = await setUp();
    await producer.enqueue(['a', 'b', 'c'].map((target) => spec({ target })));
    let until = 0;
    const started: number[] = [];
    const calls = turns(4, async (id) => {
      started.push(systemClock.now());
      if (until !== 0) return await finish(id);
      until = systemClock.now() + 500;
      return { next: 'pause_priority', until, priority: 'interactive' };
    });
    work(calls.take, { concurrency: 2 });
    await calls.all;
    // A crawl may have started at the same time as the first one; none started during the rest of the pause.
    expect(started.filter((at) => at > started[0]! + 100 && at < until)).toEqual([]);
    expect(new Set(calls.seen).size).toBe(3);
  });

  it('a crawl with an unexpected error, such as a full disk, is kept and retried', async () => {
    const { producer, work, finish, store } = await setUp();
    await producer.enqueue([spec()]);
    const calls = turns(2, async (id, nth) => {
      if (nth === 1) throw new Error('broken');
      return await finish(id);
    });
    work(async (id) => await calls.take(id));
    await calls.all;
    expect(store.read.unfinished()).toEqual([]);
  });

  it('a refused key stops the workers and keeps the crawl', async () => {
    const { producer, work, store } = await setUp();
    await producer.enqueue([spec()]);
    const workers = work(async () => ({ next: 'stop', error: new UnauthorizedError('no') }));
    await expect(workers.stopped).rejects.toThrow('no');
    expect(store.read.unfinished()).toHaveLength(1);
  });
});

describe('a soft lock', () => {
  const lockedBy = (by: string | null, until: number): CrawlRow => ({ lockedBy: by, lockExpiresAt: until }) as CrawlRow;
  const alive = `${hostname()}/${process.pid}/a`;

  it('holds until its time for others, and never for its own run', () => {
    expect(isSoftLocked(lockedBy(alive, 10), 5)).toBe(true);
    expect(isSoftLocked(lockedBy(alive, 10), 10)).toBe(false);
    expect(isSoftLocked(lockedBy(null, 0), 5)).toBe(false);
  });

  it('of a process that died on this machine does not count', () => {
    expect(isSoftLocked(lockedBy(`${hostname()}/4194305/a`, 10), 5)).toBe(false);
    expect(isSoftLocked(lockedBy('elsewhere/4194305/a', 10), 5)).toBe(true);
  });

  it('restricts a run to its named crawls, and keeps workers away from them', async () => {
    const store = newStore();
    const engine = await withRedis();
    const open = (run?: string) => {
      const queues = openQueues({ redis: engine, storeId: store.id, run });
      onTestFinished(() => queues[Symbol.asyncDispose]());
      return createProducer({ store, queues, clock: systemClock, run });
    };
    const everybody = open();
    const run = open('me');
    await everybody.enqueue([spec({ target: 'others' })]);
    await run.enqueue([spec({ target: 'mine' })]);
    await engine.connect().flushall();
    // "me" names no process, so that only the time limits the soft lock.
    expect(await run.reconcile()).toBe(1);
    expect(await everybody.reconcile()).toBe(1);
  });
});
